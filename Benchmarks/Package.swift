// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product depends on nothing that only measures it.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(path: "../Sources/ListKit")
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [.product(name: "ListKit", package: "ListKit")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ])
    ]
)
