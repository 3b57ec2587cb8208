// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PluginAPI",
    products: [.library(name: "PluginAPI", type: .dynamic, targets: ["PluginAPI"])],
    dependencies: [.package(path: "../ListKit")],
    targets: [
        .target(
            name: "PluginAPI",
            dependencies: [.product(name: "ListKit", package: "ListKit")],
            path: ".",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                .unsafeFlags(["-enable-library-evolution"]),
            ])
    ]
)
