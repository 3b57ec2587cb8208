// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import PluginAPI

/// Gives objects the section controllers of a manifest.
final class TestProvider: ListSectionControllerProvider {
    private let kinds: [String: ListSectionControllerKind]

    /// One controller for all types.
    init(_ entry: SectionControllerEntry) {
        kinds = ["*": entry.kind(named: entry.name)]
    }

    /// Controllers by object type; if none are named, the manifest's first for all types.
    init(_ manifest: PluginManifest, _ names: [String: String]) throws(ListError) {
        var kinds: [String: ListSectionControllerKind] = [:]
        for (type, name) in names {
            guard let entry = manifest.sectionControllers.first(where: { $0.name == name }) else {
                throw ListError(.noSuchSectionController, "\(manifest.name) has no section controller \(name)")
            }
            kinds[type] = entry.kind(named: "\(manifest.name)/\(name)")
        }
        if names.isEmpty, let first = manifest.sectionControllers.first {
            kinds["*"] = first.kind(named: "\(manifest.name)/\(first.name)")
        }
        self.kinds = kinds
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        kinds[type] ?? kinds["*"] ?? BuiltInSectionControllers.kind(named: BuiltInSectionControllers.single)
    }
}
