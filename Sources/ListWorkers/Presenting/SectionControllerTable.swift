// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
@_spi(Daemon) package import ListKit
package import PluginAPI

/// The section controllers of one list by object type, as looked up from the option `section-controllers`.
///
/// The table may be passed to the list's host, which makes the provider on its own executor.
package struct SectionControllerTable: Sendable {
    /// A section controller with its full name.
    private enum Kind: Sendable {
        case builtIn(String)
        case plugin(String, SectionControllerEntry)
        /// A section controller of another process, replaced by `listd/single` in this one.
        case elsewhere
    }

    /// The table of a list without that option: `listd/single` for every type.
    package static let builtIn = SectionControllerTable(option: [:], kinds: [:])

    /// The option's value: full names of section controllers by object type, or by `*`.
    package let option: [String: String]
    /// The worker in which the section controllers run; nil = all of them run in this process.
    package private(set) var worker: (any PresentingWorker)?
    private let kinds: [String: Kind]
    /// Whether any section controller comes from a plugin in this process.
    package let usesPlugins: Bool

    private init(option: [String: String], kinds: [String: Kind]) {
        self.option = option
        self.kinds = kinds
        usesPlugins = kinds.values.contains { kind in
            if case .plugin = kind { true } else { false }
        }
    }

    /// Makes a table from names only. In this process, `listd/single` replaces all controllers except built-in ones.
    package init(naming option: [String: String]) {
        self.init(
            option: option,
            kinds: option.mapValues { BuiltInSectionControllers.kind(named: $0) == nil ? .elsewhere : .builtIn($0) })
    }

    /// Makes a table from names only, for a list that is presented in a worker.
    package init(naming option: [String: String], hostedBy worker: any PresentingWorker) {
        self.init(naming: option)
        self.worker = worker
    }

    /// Looks up the section controllers that an option names.
    ///
    /// - Parameters:
    ///   - option: the names `PLUGIN/CONTROLLER` or `listd/…` by object type, or by `*` for all other types.
    ///   - entry: finds a plugin's section controller.
    /// - Throws: `noSuchSectionController` for a malformed or unknown name; errors of `entry`.
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
                    .noSuchSectionController,
                    "section-controllers: there is no section controller \(name.quoted) for \(type.quoted)")
            }
        }
        self.init(option: option, kinds: kinds)
    }

    /// The names of the plugins that the option refers to.
    package var plugins: Set<String> {
        Set(option.values.compactMap { ControllerName($0)?.plugin }).subtracting(["listd"])
    }

    /// Makes the provider for a list. Call this on the list's executor.
    package func makeProvider() -> any ListSectionControllerProvider { Provider(kinds: kinds) }

    /// A provider that falls back to the controller for `*`, and then to `listd/single`.
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

extension SectionControllerTable: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(option) }

    /// Reads only the names. The process that has the plugin looks them up
    /// (`WorkerRuntime.resolveControllers(of:_:_:)`).
    init(from reader: inout WireReader) throws(WireError) { self.init(naming: try reader.read()) }
}
