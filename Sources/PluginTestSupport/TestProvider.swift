// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import PluginAPI

/// A provider of the section controllers in a plugin's manifest.
final class TestProvider: ListSectionControllerProvider {
    private let kinds: [String: ListSectionControllerKind]

    /// Makes a provider of one section controller for all object types.
    init(_ entry: SectionControllerEntry) {
        kinds = ["*": entry.kind(named: entry.name)]
    }

    /// Makes a provider of section controllers by object type. If `names` is empty, the manifest's first section
    /// controller is used for all types.
    init(_ manifest: PluginManifest, _ names: [String: String]) throws(ListError) {
        var kinds: [String: ListSectionControllerKind] = [:]
        for (type, name) in names {
            guard let entry = manifest.sectionControllers.first(where: { $0.name == name }) else {
                throw ListError(
                    .noSuchSectionController,
                    "plugin \(manifest.name) has no section controller \(name.debugDescription)")
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
