// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that who uses the library needs no GTK.
let package = Package(
    name: "GtkList",
    dependencies: [.package(name: "ObservableSwift", path: "../../..")],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .executableTarget(
            name: "gtk_list",
            dependencies: [
                "CGtk", .product(name: "ObservableSwift", package: "ObservableSwift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
