// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that who uses the library never resolves what the demonstration needs.
let package = Package(
    name: "Board",
    dependencies: [
        .package(name: "ObservableSwift", path: "../../..", traits: ["Inspector"]),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // What goes over the wire, known to both sides.
        .target(name: "Readings"),
        // This machine, or a recording of one, as JSON over HTTP on loopback.
        .target(
            name: "Service",
            dependencies: ["Readings", .product(name: "FlyingFox", package: "FlyingFox")]),
        // Models that are filled from readings, and the views that observe them.
        .target(
            name: "BoardViews",
            dependencies: [
                "Readings", .product(name: "ObservableSwift", package: "ObservableSwift"),
            ]),
        .executableTarget(
            name: "board",
            dependencies: [
                "BoardViews", "Service",
                .product(name: "ObservableInspector", package: "ObservableSwift"),
                .product(name: "ObservableSwift", package: "ObservableSwift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(name: "ServiceTests", dependencies: ["Service"]),
        .testTarget(
            name: "BoardViewsTests",
            dependencies: [
                "BoardViews", "Readings",
                .product(name: "ObservableSwift", package: "ObservableSwift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
