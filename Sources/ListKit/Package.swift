// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, because a plugin and the daemon must share one copy of these classes. Within one package the target
// would be linked statically into both, and `as?` between the two copies would return nil.
let package = Package(
    name: "ListKit",
    products: [.library(name: "ListKit", type: .dynamic, targets: ["ListKit"])],
    targets: [
        .target(
            name: "ListKit",
            path: ".",
            exclude: ["PARITY.md", "README.md"],
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
