// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
//
// A program with the paths that must stay short: what scripts/disassembly shows, check.sh holds,
// and scripts/bench-instructions counts.

import PackageDescription

let package = Package(
    name: "HotPath",
    dependencies: [.package(name: "ObservableSwift", path: "../../..")],
    targets: [
        .executableTarget(
            name: "HotPath",
            dependencies: [
                "Counts", .product(name: "ObservableSwift", package: "ObservableSwift"),
            ]
        ),
        .target(name: "Counts"),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
