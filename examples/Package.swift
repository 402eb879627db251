// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
//
// The examples in Swift, each a program: `swift run first_observation`. The board
// is a package of its own, in board/swift.

import PackageDescription

/// The program of one folder; what else lies there belongs to C.
func example(
    _ idea: String, alsoInC: Bool = true, products: [String] = ["ObservableSwift"]
) -> Target {
    .executableTarget(
        name: idea,
        dependencies: products.map { .product(name: $0, package: "ObservableSwift") },
        path: idea,
        exclude: alsoInC ? ["main.c", "output.txt"] : ["output.txt"],
        sources: ["main.swift"]
    )
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "ObservableSwift", path: "..")],
    targets: [
        example("first_observation"),
        example("nil_and_replacement"),
        example("many_paths"),
        example("tokens"),
        example("wildcard"),
        example("manual_trigger"),
        example("foreign_object"),
        example("load_on_demand"),
        example("own_loop"),
        example("an_actor", alsoInC: false),
        example("sequences", alsoInC: false),
        example("other_superclass", alsoInC: false),
        example("mail_list", alsoInC: false, products: ["ObservableSwift", "ObservableGraph"]),
        example("saving", alsoInC: false, products: ["ObservableSwift", "ObservableGraph"]),
    ],
    swiftLanguageModes: [.v6]
)
