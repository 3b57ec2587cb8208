// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that it uses the shared PluginAPI and adds no second copy to a test.
let package = Package(
    name: "PluginTestSupport",
    products: [.library(name: "PluginTestSupport", targets: ["PluginTestSupport"])],
    dependencies: [.package(path: "../ListKit"), .package(path: "../PluginAPI")],
    targets: [
        .target(
            name: "PluginTestSupport",
            dependencies: [
                .product(name: "ListKit", package: "ListKit"), .product(name: "PluginAPI", package: "PluginAPI"),
            ],
            path: ".",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
            ])
    ]
)
