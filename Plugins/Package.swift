// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// One build of the shipped plugins, so that ListKit and PluginAPI are compiled once for all of them. Each plugin is a
// package of its own in the folder of its name, as a third party would write it, and is named here.
let plugins = ["files", "journal", "marslink", "packages", "postgres", "template"]

let package = Package(
    name: "Plugins",
    dependencies: plugins.map { .package(path: $0) } + [.package(path: "../Sources/PluginTestSupport")],
    targets: [
        .target(name: "All", dependencies: plugins.map { .product(name: $0, package: $0) }, path: "All")
    ]
        // The plugins' own tests, named here again so that one `swift test` runs them all.
        + plugins.map { plugin in
            .testTarget(
                name: "\(plugin)Tests",
                dependencies: [
                    .product(name: plugin, package: plugin),
                    .product(name: "PluginTestSupport", package: "PluginTestSupport"),
                ],
                path: "\(plugin)/Tests/\(plugin)Tests")
        }
)
