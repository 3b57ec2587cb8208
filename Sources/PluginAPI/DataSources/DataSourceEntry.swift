// SPDX-License-Identifier: Apache-2.0

/// A data source of a plugin: its name, and a function that makes it for a list.
public struct DataSourceEntry: Sendable {
    /// The name inside the plugin.
    public let name: String
    /// Makes a data source. Called on the source's executor, once for each list.
    public let make: @Sendable (DataSourceContext) throws -> any DataSource
    /// Hints for showing fields of the source's objects, by the names of the fields.
    public let hints: [String: FieldHint]

    /// Makes an entry for a data source.
    ///
    /// - Parameters:
    ///   - name: the name inside the plugin.
    ///   - make: makes a data source. It throws `ListError(.invalidArguments, …)` for a wrong argument; the list is not
    ///     created then.
    public static func source(
        _ name: String, _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: [:])
    }

    /// Makes an entry for a data source with hints for showing fields of its objects.
    ///
    /// - Parameters:
    ///   - name: the name inside the plugin.
    ///   - hints: the hints by the names of the fields; the list's option `hints` overrides them.
    ///   - make: as in ``source(_:_:)``.
    public static func source(
        _ name: String, hints: [String: FieldHint],
        _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: hints)
    }
}
