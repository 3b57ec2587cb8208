// SPDX-License-Identifier: Apache-2.0

/// A data source of a plugin: its name and how to make one for a list.
public struct DataSourceEntry: Sendable {
    /// The name inside the plugin.
    public let name: String
    /// Makes a source; called on the source's executor, once for each list.
    public let make: @Sendable (DataSourceContext) throws -> any DataSource
    /// Hints for showing fields of its objects.
    public let hints: [String: FieldHint]

    /// A data source by name.
    ///
    /// `make` throws `ListError(.invalidArguments, …)` for a wrong argument: the list is then not created.
    public static func source(
        _ name: String, _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: [:])
    }

    /// A data source by name, with hints for showing fields of its objects.
    ///
    /// - Parameters:
    ///   - hints: by the names of the fields; the list's option `hints` overrides them.
    ///   - make: as in ``source(_:_:)``.
    public static func source(
        _ name: String, hints: [String: FieldHint],
        _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: hints)
    }
}
