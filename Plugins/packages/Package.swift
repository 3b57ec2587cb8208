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
    name: "packages",
    products: [.library(name: "packages", type: .dynamic, targets: ["packages"])],
    dependencies: [.package(path: "../../Sources/PluginAPI"), .package(path: "../../Sources/PluginTestSupport")],
    targets: [
        .target(
            name: "packages", dependencies: [.product(name: "PluginAPI", package: "PluginAPI")], swiftSettings: settings
        ),
        .testTarget(
            name: "packagesTests",
            dependencies: ["packages", .product(name: "PluginTestSupport", package: "PluginTestSupport")],
            swiftSettings: settings),
    ]
)
