// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
//
// A program outside that depends on the package.

import PackageDescription

let package = Package(
    name: "Consumer",
    dependencies: [.package(name: "ObservableSwift", path: "../..")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [.product(name: "CObservable", package: "ObservableSwift")],
            path: ".",
            exclude: [
                "CMakeLists.txt", "calls.c", "consumer.c", "consumer.cpp", "derived.c", "host.c",
                "loaded.py", "macros.cpp", "swift", "throws.cpp",
            ],
            sources: ["consumer.swift"]
        )
    ]
)
