// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "postgres",
    products: [.library(name: "postgres", type: .dynamic, targets: ["postgres"])],
    dependencies: [.package(path: "../../Sources/PluginAPI"), .package(path: "../../Sources/PluginTestSupport")],
    targets: [
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "postgres", dependencies: ["CPostgres", .product(name: "PluginAPI", package: "PluginAPI")],
            swiftSettings: settings),
        .testTarget(
            name: "postgresTests",
            dependencies: ["postgres", .product(name: "PluginTestSupport", package: "PluginTestSupport")],
            swiftSettings: settings),
    ]
)
