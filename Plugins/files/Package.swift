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
    name: "files",
    products: [.library(name: "files", type: .dynamic, targets: ["files"])],
    dependencies: [.package(path: "../../Sources/PluginAPI"), .package(path: "../../Sources/PluginTestSupport")],
    targets: [
        .target(
            name: "files", dependencies: [.product(name: "PluginAPI", package: "PluginAPI")], swiftSettings: settings),
        .testTarget(
            name: "filesTests",
            dependencies: ["files", .product(name: "PluginTestSupport", package: "PluginTestSupport")],
            swiftSettings: settings),
    ]
)
