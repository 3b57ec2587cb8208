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
        // The programs that listd is compared with on a bus use plain libdbus, without listd's module DBus.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // Replaces malloc, to count allocations.
        .target(name: "CAllocations"),
        // The program that listd's store is compared with uses plain SQLite.
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
