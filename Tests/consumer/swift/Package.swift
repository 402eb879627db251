// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// A package outside. scripts/test copies this folder to where it belongs to
// nothing, writes the place of the library into the copy, and gives each target
// its folder with follow.swift.

import PackageDescription

func follow(_ name: String, _ isolation: SwiftSetting) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "ObservableSwift", package: "ObservableSwift")],
        swiftSettings: [isolation, .treatAllWarnings(as: .error)]
    )
}

let package = Package(
    name: "Follow",
    dependencies: [.package(name: "ObservableSwift", path: "../../..")],
    targets: [
        follow("FollowNonisolated", .defaultIsolation(nil)),
        follow("FollowMainActor", .defaultIsolation(MainActor.self)),
    ],
    swiftLanguageModes: [.v6]
)
