// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The tests of ObservableMacros: of what the annotations write, and of classes that a program
// annotates which depends on the product.

import PackageDescription

let package = Package(
    name: "Macros",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ObservableSwift", path: "../..", traits: ["Macros"]),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        // The plug-in once more, as a module that tests can import: a link to its folder.
        .target(
            name: "Expansion",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            exclude: ["Plugin.swift"],
            swiftSettings: [.define("Macros")]
        ),
        .testTarget(
            name: "ExpansionTests",
            dependencies: [
                "Expansion",
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]
        ),
        .testTarget(
            name: "AnnotatedClassTests",
            dependencies: [
                .product(name: "ObservableMacros", package: "ObservableSwift"),
                .product(name: "ObservableObservation", package: "ObservableSwift"),
            ]
        ),
        // Where declarations that say nothing belong to the main actor.
        .testTarget(
            name: "MainActorClassTests",
            dependencies: [
                .product(name: "ObservableMacros", package: "ObservableSwift")
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
