// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that users of the library never resolve what the server needs.
let package = Package(
    name: "OrderServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ObservableSwift", path: "../.."),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    ],
    targets: [
        // The models, the actor that they belong to, and what is served of it.
        .target(
            name: "OrderServer",
            dependencies: [
                .product(name: "ObservableSwift", package: "ObservableSwift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
        // The program.
        .executableTarget(name: "order_server", dependencies: ["OrderServer"]),
        // Its clients: a server of their own, connections, and what they must have seen.
        .executableTarget(
            name: "order_clients",
            dependencies: [
                "OrderServer",
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
