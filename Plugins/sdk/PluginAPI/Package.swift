// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The installed listd's own ListKit and PluginAPI, compiled, so that a plugin is built in seconds and loaded beside the same
// libraries. A compiler of another version cannot read the modules; listd would refuse what it builds too.
let package = Package(
    name: "PluginAPI",
    products: [.library(name: "PluginAPI", targets: ["Link"])],
    targets: [
        // Swift finds compiled modules through the flags of a system library only.
        .systemLibrary(name: "CPluginABI", path: "ABI", pkgConfig: Context.packageDirectory + "/listd-plugin.pc"),
        // A system library cannot say where a program finds the libraries when it runs, as the tests of a plugin do.
        .target(
            name: "Link", dependencies: ["CPluginABI"],
            path: "Link",
            linkerSettings: [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", Context.packageDirectory + "/../lib"])]),
    ]
)
