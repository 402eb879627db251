// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
//
// The tests of ObservableOpenCombine: as a program that wants publishers depends on it.

import PackageDescription

let package = Package(
    name: "Publishers",
    dependencies: [
        .package(name: "ObservableSwift", path: "../..", traits: ["OpenCombine"])
    ],
    targets: [
        .testTarget(
            name: "PublisherTests",
            dependencies: [
                .product(name: "ObservableOpenCombine", package: "ObservableSwift")
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
