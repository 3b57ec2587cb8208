// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The build holds the boundaries: a target sees only what it names here, and no C type leaks from a module.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // The compiler finds what runs on a wrong thread, and the unoptimised build, which the tests use, asks at run time too.
    // Asking is a thirtieth of what a call costs.
    .unsafeFlags(["-disable-dynamic-actor-isolation"], .when(configuration: .release)),
]

// Of the tests with -O, only the tested code is optimised: the tests themselves would keep the optimiser busy for minutes.
let unoptimised = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
let testSettings = settings + [unoptimised]

let listKit = Target.Dependency.product(name: "ListKit", package: "ListKit")
let pluginAPI = Target.Dependency.product(name: "PluginAPI", package: "PluginAPI")
let pluginTestSupport = Target.Dependency.product(name: "PluginTestSupport", package: "PluginTestSupport")

// The shipped plugins: packages of their own, as a third party writes them. They are built with everything else, so that ListKit
// and PluginAPI are compiled once.
let plugins = ["files", "journal", "marslink", "packages", "postgres", "template"]
func product(of plugin: String) -> Target.Dependency { .product(name: plugin, package: plugin) }

let package = Package(
    name: "listd",
    products: [
        .executable(name: "listd", targets: ["listd"]),
        .executable(name: "listctl", targets: ["listctl"]),
        .library(name: "DBus", targets: ["DBus"]),
        .library(name: "ListClient", targets: ["ListClient"]),
    ],
    dependencies: [
        // Shared libraries of their own, so that a plugin and the daemon see one copy of every class.
        .package(path: "Sources/ListKit"),
        .package(path: "Sources/PluginAPI"),
        .package(path: "Sources/PluginTestSupport"),
    ] + plugins.map { .package(path: "Plugins/\($0)") },
    targets: [
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .target(name: "DBus", dependencies: ["CDBus", "CSystemd"], exclude: ["README.md"], swiftSettings: settings),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CLinux"),
        .target(name: "ListProtocol", swiftSettings: settings),
        .target(name: "ListJSON", dependencies: ["CSimdjson"], swiftSettings: settings),
        // The daemon, in layers: each sees those above it in this list.
        .target(name: "ListSupport", dependencies: ["CSystemd", "DBus", listKit], swiftSettings: settings),
        .target(
            name: "ListSources",
            dependencies: ["CLinux", "DBus", "ListJSON", "ListSupport", listKit, pluginAPI],
            swiftSettings: settings),
        .target(
            name: "ListConfiguration",
            dependencies: ["CInih", "DBus", "ListProtocol", "ListSources", "ListSupport", listKit, pluginAPI],
            swiftSettings: settings),
        .target(
            name: "ListStore", dependencies: ["CLinux", "CSQLite", "ListConfiguration", "ListSupport", listKit],
            swiftSettings: settings),
        .target(
            name: "ListWorkers",
            dependencies: [
                "CLinux", .product(name: "Confinement", package: "PluginTestSupport"), "DBus", "ListConfiguration",
                "ListSources", "ListSupport", listKit, pluginAPI,
            ],
            swiftSettings: settings),
        .target(
            name: "ListDaemon",
            dependencies: [
                "CLinux", "CSystemd", "DBus", "ListConfiguration", "ListProtocol", "ListSources", "ListStore",
                "ListSupport", "ListWorkers", listKit, pluginAPI,
            ], swiftSettings: settings),
        .target(name: "ListClient", dependencies: ["DBus", "ListProtocol"], swiftSettings: settings),
        .executableTarget(name: "listd", dependencies: ["ListDaemon", "ListSupport"], swiftSettings: settings),
        .systemLibrary(name: "CTerminal"),
        // Without pkgConfig: ncursesw.pc asks for an older X/Open, which would be another Glibc than that of the other modules.
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        .executableTarget(
            name: "listctl",
            dependencies: ["CLinux", "CNcurses", "CTerminal", "DBus", "ListClient", "ListJSON", "ListProtocol"],
            swiftSettings: settings),

        // Empty: what is built together, for `make run` and for an installation.
        .target(name: "Shown", dependencies: ["listd", "listctl", product(of: "files")], path: "Plugins/Shown"),
        .target(name: "Shipped", dependencies: ["listd", "listctl"] + plugins.map(product), path: "Plugins/Shipped"),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: testSettings),
        // A process of its own for tests of what a process is handed: it is run by DBusTests.
        .executableTarget(
            name: "DBusTestService", dependencies: ["DBus"], path: "Tests/DBusTestService", swiftSettings: testSettings),
        .testTarget(
            name: "DBusTests", dependencies: ["CDBus", "DBus", "DBusTestService", "TestSupport"],
            swiftSettings: testSettings),
        .testTarget(name: "ListKitTests", dependencies: [listKit, "TestSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "PluginAPITests", dependencies: [pluginAPI, pluginTestSupport, "TestSupport"],
            swiftSettings: testSettings),
        // SQLite's files on a disk that fails.
        .target(name: "CFaultyFiles", dependencies: ["CSQLite"], path: "Tests/CFaultyFiles"),
        .testTarget(
            name: "ListDaemonTests",
            dependencies: [
                "CFaultyFiles", "CLinux", "DBus", "ListConfiguration", "ListDaemon", "ListJSON", "ListProtocol",
                "ListSources", "ListStore", "ListSupport", "ListWorkers", listKit, pluginAPI, pluginTestSupport,
                "TestSupport",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "ListClientTests", dependencies: ["DBus", "ListClient", "TestSupport"], swiftSettings: testSettings),
        .testTarget(
            name: "ListctlTests", dependencies: ["DBus", "ListClient", "ListJSON", "listctl", "TestSupport"],
            swiftSettings: testSettings),
        .testTarget(
            name: "IntegrationTests", dependencies: ["ListClient", "DBus", "Shipped", "TestSupport"],
            exclude: ["python", "seeds"],
            swiftSettings: testSettings),
    ]
        // The plugins' own tests, named here again so that one program contains all tests.
        + plugins.map { plugin in
            .testTarget(
                name: "\(plugin)Tests", dependencies: [product(of: plugin), pluginTestSupport],
                path: "Plugins/\(plugin)/Tests/\(plugin)Tests",
                swiftSettings: [unoptimised])
        }
)

// The modules of tests in LISTD_TESTS, without which all are built: `make test FILTER=…` compiles no others.
if let wanted = Context.environment["LISTD_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
