// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "PluginAPI",
    products: [.library(name: "PluginAPI", type: .dynamic, targets: ["PluginAPI"])],
    dependencies: [.package(path: "../ListKit")],
    targets: [
        // A header with the C declarations of a plugin's exported function. The loader calls the function before it
        // uses any Swift type of the plugin.
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
                // The compiler's verification of the module interface finds the header only through this path.
                .unsafeFlags(["-enable-library-evolution", "-I", Context.packageDirectory + "/ABI"]),
            ]),
    ]
)
