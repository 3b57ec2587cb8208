// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The dependencies of a program that uses ListKit alone: no bus, no daemon, no Foundation.
let package = Package(
    name: "Examples",
    dependencies: [.package(path: "../Sources/ListKit")],
    targets: [
        .executableTarget(name: "Journal", dependencies: [.product(name: "ListKit", package: "ListKit")])
    ]
)
