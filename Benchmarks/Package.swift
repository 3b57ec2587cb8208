// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, so that the product has no dependency that serves only benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(path: "../Sources/ListKit")
    ],
    targets: [
        // The peers on the bus are bare libdbus: nothing of listd's own module for it.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // A malloc of our own, which counts.
        .target(name: "CAllocations"),
        // The peer of the store is plain SQLite.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["CAllocations", "CDBus", "CSQLite", .product(name: "ListKit", package: "ListKit")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]),
    ]
)
