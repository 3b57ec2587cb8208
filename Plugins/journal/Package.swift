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
    name: "journal",
    products: [.library(name: "journal", type: .dynamic, targets: ["journal"])],
    dependencies: [.package(path: "../../Sources/PluginAPI"), .package(path: "../../Sources/PluginTestSupport")],
    targets: [
        .systemLibrary(name: "CJournal", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(
            name: "journal", dependencies: ["CJournal", .product(name: "PluginAPI", package: "PluginAPI")],
            swiftSettings: settings),
        .testTarget(
            name: "journalTests",
            dependencies: ["journal", .product(name: "PluginTestSupport", package: "PluginTestSupport")],
            swiftSettings: settings),
    ]
)
