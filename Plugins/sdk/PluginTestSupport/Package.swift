// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Sources, because only the tests of a plugin use them.
let package = Package(
    name: "PluginTestSupport",
    products: [.library(name: "PluginTestSupport", targets: ["PluginTestSupport"])],
    dependencies: [.package(path: "../PluginAPI")],
    targets: [
        .target(name: "Confinement", path: "Confinement"),
        .target(name: "PoolThreads", path: "PoolThreads"),
        .target(
            name: "PluginTestSupport",
            dependencies: ["Confinement", "PoolThreads", .product(name: "PluginAPI", package: "PluginAPI")], path: ".",
            exclude: ["Confinement", "PoolThreads"],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
    ]
)
