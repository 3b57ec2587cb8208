// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "files",
    products: [.library(name: "files", type: .dynamic, targets: ["files"])],
    dependencies: [.package(path: "../../Sources/PluginAPI")],
    targets: [
        .target(
            name: "files", dependencies: [.product(name: "PluginAPI", package: "PluginAPI")], swiftSettings: settings),
        .testTarget(name: "filesTests", dependencies: ["files"], swiftSettings: settings),
    ]
)
