// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "ObservableSwift",
    // What `Mutex` and `Atomic` need.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ObservableSwift", targets: ["ObservableSwift"]),
        .library(name: "CObservable", targets: ["CObservable"]),
        .library(name: "ObservableFoundation", targets: ["ObservableFoundation"]),
        .library(name: "ObservableObservation", targets: ["ObservableObservation"]),
        .library(name: "ObservableGraph", targets: ["ObservableGraph"]),
        .library(name: "ObservableOpenCombine", targets: ["ObservableOpenCombine"]),
        .library(name: "ObservableMacros", targets: ["ObservableMacros"]),
        .library(name: "ObservableInspector", targets: ["ObservableInspector"]),
    ],
    traits: [
        .trait(
            name: "Inspector",
            description: "ObservableInspector: a page of a program. FlyingFox is fetched for it."),
        .trait(
            name: "Macros",
            description: "ObservableMacros: @ObservableClass. swift-syntax is fetched for it."),
        .trait(
            name: "OpenCombine",
            description: "ObservableOpenCombine: publishers. OpenCombine is fetched for it."),
    ],
    dependencies: [
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .target(
            name: "ObservableSwift",
            dependencies: [
                "CObservable", "CObservableDerived", "CObservableInspect", "ObservableRuntime",
            ],
            exclude: ["CMakeLists.txt"]
        ),
        // Foundation's loops and notifications.
        .target(
            name: "ObservableFoundation",
            dependencies: ["ObservableSwift"],
            exclude: ["CMakeLists.txt"]
        ),
        // Swift's Observation, seen and seeing.
        .target(
            name: "ObservableObservation",
            dependencies: ["ObservableSwift"],
            exclude: ["CMakeLists.txt"]
        ),
        // All that an object leads to, as one: autosave and undo.
        .target(
            name: "ObservableGraph",
            dependencies: ["ObservableSwift"],
            exclude: ["CMakeLists.txt"]
        ),
        // Publishers for OpenCombine. Empty without the trait.
        .target(
            name: "ObservableOpenCombine",
            dependencies: [
                "ObservableSwift",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(traits: ["OpenCombine"])),
            ]
        ),
        // A page that shows a program's observations. Empty without the trait.
        .target(
            name: "ObservableInspector",
            dependencies: [
                "ObservableSwift",
                .product(
                    name: "FlyingFox", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
                .product(
                    name: "FlyingSocks", package: "FlyingFox",
                    condition: .when(traits: ["Inspector"])),
            ],
            resources: [.embedInCode("page.html")]
        ),
        // An annotation in the place of superclass and wrappers. Empty without the trait.
        .target(
            name: "ObservableMacros",
            dependencies: ["ObservableSwift", "ObservableMacrosPlugin"]
        ),
        .macro(
            name: "ObservableMacrosPlugin",
            dependencies: [
                .product(
                    name: "SwiftSyntaxMacros", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftCompilerPlugin", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]
        ),
        // The functions of the Swift runtime that Swift has no name for.
        .target(name: "ObservableRuntime", dependencies: ["CObservable"]),
        .target(
            name: "CObservable",
            dependencies: [.target(name: "CBSD", condition: .when(platforms: [.linux]))],
            path: ".",
            exclude: ["csrc/README.md"],
            sources: [
                "csrc", "Sources/CObservableBinder", "Sources/CObservableCollections",
                "Sources/CObservableTrace",
            ],
            publicHeadersPath: "include",
            cSettings: [
                .headerSearchPath("csrc"),
                // Tell of changes that overlap (csrc/edit/overlap.h), of paths that can lead nowhere
                // (csrc/observe/declared.h), and of misuses (csrc/model/misuse.h).
                .define("OBV_CHECK_OVERLAP", .when(configuration: .debug)),
                .define("OBV_CHECK_PATHS", .when(configuration: .debug)),
                .define("OBV_CHECK_MISUSE", .when(configuration: .debug)),
            ]
        ),
        // Derived collections, over the public interface of the core.
        .target(name: "CObservableDerived", dependencies: ["CObservable"]),
        // The observation graph, over the same.
        .target(name: "CObservableInspect", dependencies: ["CObservable"]),
        // Where the BSD functions are not in the C library.
        .systemLibrary(
            name: "CBSD",
            pkgConfig: "libbsd",
            providers: [.apt(["libbsd-dev"])]
        ),

        // No product needs what follows, so no package that depends on this one
        // builds it.
        .executableTarget(
            name: "ScenarioRunner",
            dependencies: ["ObservableSwift"],
            path: "Tests/ScenarioRunner"
        ),
        // Models of another module than the one that observes them.
        .target(
            name: "ModelsElsewhere",
            dependencies: ["ObservableSwift"],
            path: "Tests/ModelsElsewhere"
        ),
        .testTarget(
            name: "ObservableSwiftTests",
            dependencies: ["ObservableSwift", "ModelsElsewhere"]
        ),
        .testTarget(
            name: "ObservableFoundationTests",
            dependencies: ["ObservableFoundation"]
        ),
        .testTarget(
            name: "ObservableGraphTests",
            dependencies: ["ObservableGraph"]
        ),
        .testTarget(
            name: "ObservableObservationTests",
            dependencies: ["ObservableObservation"]
        ),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
