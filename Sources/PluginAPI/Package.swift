// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "PluginAPI",
    products: [.library(name: "PluginAPI", type: .dynamic, targets: ["PluginAPI"])],
    dependencies: [.package(path: "../ListKit")],
    targets: [
        // A header only: the C declarations of a plugin's function, which the loader calls before it uses any Swift
        // type of the plugin.
        .systemLibrary(name: "CPluginABI", path: "ABI"),
        .target(
            name: "PluginAPI",
            dependencies: ["CPluginABI", .product(name: "ListKit", package: "ListKit")],
            path: ".",
            exclude: ["ABI"],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                // The check of the textual interface searches the header in this path only.
                .unsafeFlags(["-enable-library-evolution", "-I", Context.packageDirectory + "/ABI"]),
            ]),
    ]
)
