// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
//
// The tests of ObservableInspector: as a program that wants the page depends on it.

import PackageDescription

let package = Package(
    name: "Inspector",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ObservableSwift", path: "../..", traits: ["Inspector"])
    ],
    targets: [
        .testTarget(
            name: "InspectorTests",
            dependencies: [
                .product(name: "ObservableInspector", package: "ObservableSwift")
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
