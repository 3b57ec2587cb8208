// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that it links the shared library PluginAPI instead of adding a second copy to a test.
let package = Package(
    name: "PluginTestSupport",
    products: [
        .library(name: "PluginTestSupport", targets: ["PluginTestSupport"]),
        // The restrictions of a worker. listd uses them too, so that a test fails where a worker would.
        .library(name: "Confinement", targets: ["Confinement"]),
    ],
    dependencies: [.package(path: "../ListKit"), .package(path: "../PluginAPI")],
    targets: [
        .target(name: "Confinement", path: "Confinement"),
        .target(name: "PoolThreads", path: "PoolThreads"),
        .target(
            name: "PluginTestSupport",
            dependencies: [
                "Confinement", "PoolThreads",
                .product(name: "ListKit", package: "ListKit"), .product(name: "PluginAPI", package: "PluginAPI"),
            ],
            path: ".",
            exclude: ["Confinement", "PoolThreads"],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
            ]),
    ]
)
