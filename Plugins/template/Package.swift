// swift-tools-version: 6.2
import PackageDescription

// The directory of listd's development files; `listctl new-plugin` writes the installed one here.
let sdk = Context.environment["LISTD_SDK"] ?? "../../Sources"

let package = Package(
    name: "template",
    products: [.library(name: "template", type: .dynamic, targets: ["template"])],
    dependencies: [.package(path: "\(sdk)/PluginAPI"), .package(path: "\(sdk)/PluginTestSupport")],
    targets: [
        .target(name: "template", dependencies: [.product(name: "PluginAPI", package: "PluginAPI")]),
        .testTarget(
            name: "templateTests",
            dependencies: ["template", .product(name: "PluginTestSupport", package: "PluginTestSupport")]),
    ]
)
