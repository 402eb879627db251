// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "ObservableSwift",
    products: [
        .library(name: "CObservable", targets: ["CObservable"])
    ],
    targets: [
        .target(
            name: "CObservable",
            dependencies: [.target(name: "CBSD", condition: .when(platforms: [.linux]))],
            path: ".",
            exclude: ["csrc/README.md"],
            sources: ["csrc"],
            publicHeadersPath: "include",
            cSettings: [.headerSearchPath("csrc")]
        ),
        // Where the BSD functions are not in the C library.
        .systemLibrary(
            name: "CBSD",
            pkgConfig: "libbsd",
            providers: [.apt(["libbsd-dev"])]
        ),
    ],
    cLanguageStandard: .c11
)
