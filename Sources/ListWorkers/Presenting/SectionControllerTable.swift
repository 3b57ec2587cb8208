// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
@_spi(Daemon) package import ListKit
package import PluginAPI

/// The section controllers of one list, by object type: what the option `section-controllers` comes to.
///
/// A value that may be handed to the list's host, which makes the provider on its own executor.
package struct SectionControllerTable: Sendable {
    /// A section controller with its full name.
    private enum Kind: Sendable {
        case builtIn(String)
        case plugin(String, SectionControllerEntry)
        /// One that is not in this process: `listd/single` stands in for it.
        case elsewhere
    }

    /// The built-in controller for every type.
    package static let builtIn = SectionControllerTable(option: [:], kinds: [:])

    /// What was configured: object type, or `*`, to the full name of a section controller.
    package let option: [String: String]
    /// The worker that has the section controllers; nil = this process has them all.
    package private(set) var worker: (any PresentingWorker)?
    private let kinds: [String: Kind]
    /// Whether any of them comes from a plugin.
    package let usesPlugins: Bool

    private init(option: [String: String], kinds: [String: Kind]) {
        self.option = option
        self.kinds = kinds
        usesPlugins = kinds.values.contains { kind in
            if case .plugin = kind { true } else { false }
        }
    }

    /// Only the names, of which this process has the built-in ones.
    package init(naming option: [String: String]) {
        self.init(
            option: option,
            kinds: option.mapValues { BuiltInSectionControllers.kind(named: $0) == nil ? .elsewhere : .builtIn($0) })
    }

    /// The names, for a list that a worker hosts.
    package init(naming option: [String: String], hostedBy worker: any PresentingWorker) {
        self.init(naming: option)
        self.worker = worker
    }

    /// Looks up what an option names.
    ///
    /// - Parameters:
    ///   - option: object type, or `*` for all others, to `PLUGIN/CONTROLLER` or `listd/…`.
    ///   - entry: finds a plugin's section controller.
    /// - Throws: `noSuchSectionController` for a name that is malformed or unknown, and what `entry` throws.
    package init(
        _ option: [String: String],
        entry: (ControllerName) throws(ListError) -> SectionControllerEntry
    ) throws(ListError) {
        var kinds: [String: Kind] = [:]
        for (type, name) in option {
            if BuiltInSectionControllers.kind(named: name) != nil {
                kinds[type] = .builtIn(name)
            } else if let reference = ControllerName(name), reference.plugin != "listd" {
                kinds[type] = .plugin(name, try entry(reference))
            } else {
                throw ListError(
                    .noSuchSectionController, "section-controllers: \(name.quoted) for \(type.quoted): no such thing")
            }
        }
        self.init(option: option, kinds: kinds)
    }

    /// The plugins that they come from, as the names say.
    package var plugins: Set<String> {
        Set(option.values.compactMap { ControllerName($0)?.plugin }).subtracting(["listd"])
    }

    /// Makes the provider for a list; to be called on the list's executor.
    package func makeProvider() -> any ListSectionControllerProvider { Provider(kinds: kinds) }

    /// Gives each type its controller, `*` to the types that have none, and `listd/single` where there is no `*`.
    private final class Provider: ListSectionControllerProvider {
        private let kinds: [String: Kind]

        init(kinds: [String: Kind]) {
            self.kinds = kinds
        }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            switch kinds[type] ?? kinds["*"] {
            case nil:
                BuiltInSectionControllers.kind(named: BuiltInSectionControllers.single)
            case .builtIn(let name):
                BuiltInSectionControllers.kind(named: name)
            case .plugin(let name, let entry):
                entry.kind(named: name)
            case .elsewhere:
                BuiltInSectionControllers.kind(named: BuiltInSectionControllers.single)
            }
        }
    }
}
