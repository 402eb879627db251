// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
//
// The Swift half of scripts/bench: our overlay beside plain Swift, the
// toolchain's Observation and OpenCombine, in one process. A package of its own,
// so that nobody who depends on the library sees OpenCombine.

import PackageDescription

/// Without it, OpenCombine is a peer that is missing: where it cannot be fetched.
let hasOpenCombine = Context.environment["BENCH_OPENCOMBINE"] != "no"

let library: Target.Dependency = .product(name: "ObservableSwift", package: "ObservableSwift")
let bridge: Target.Dependency = .product(
    name: "ObservableObservation", package: "ObservableSwift")
let peers: [Target.Dependency] =
    hasOpenCombine ? [.product(name: "OpenCombine", package: "OpenCombine")] : []
let settings: [SwiftSetting] = hasOpenCombine ? [.define("OPENCOMBINE")] : []

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "ObservableSwift", path: "../..")]
        + (hasOpenCombine
            ? [.package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0")] : []),
    targets: [
        .executableTarget(
            name: "Scenarios",
            dependencies: ["BenchSupport", library, bridge] + peers,
            // Each function begins a cache line, as the setters of the C half do; and equal
            // functions stay apart, which no program has as many of as this one.
            swiftSettings: settings + [
                .unsafeFlags([
                    "-Xllvm", "-align-all-functions=6",
                    "-Xfrontend", "-disable-llvm-merge-functions-pass",
                ])
            ]
        ),
        .executableTarget(
            name: "Bytes",
            dependencies: ["CountedMemory", library] + peers,
            swiftSettings: settings
        ),
        // Call sites at known places, one CPU, a second thread.
        .target(name: "BenchSupport"),
        // Counts what the program allocates, in place of the C library's malloc.
        .target(name: "CountedMemory"),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)
