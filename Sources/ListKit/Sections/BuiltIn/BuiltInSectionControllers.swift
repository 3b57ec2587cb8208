// SPDX-License-Identifier: Apache-2.0

/// The section controllers that need no plugin.
public enum BuiltInSectionControllers {
    /// One item that shows the fields of its object.
    public static let single = "listd/single"
    /// The items in the field `items`, with header and footer.
    public static let binding = "listd/binding"

    /// The kind with a name; `nil` when it is not built in.
    public static func kind(named name: String) -> ListSectionControllerKind? {
        switch name {
        case single: SingleFieldsSectionController.kind
        case binding: BindingFieldsSectionController.kind
        default: nil
        }
    }
}

/// A provider of the built-in controllers, by a table from type to name.
///
/// A type that is not in the table has the entry `*`, else `listd/single`; so has one whose name is not built in.
public final class BuiltInSectionControllerProvider: ListSectionControllerProvider {
    private let names: [String: String]

    /// Makes a provider.
    public init(names: [String: String] = [:]) { self.names = names }

    /// The kind for a type, never `nil`.
    public func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        let name = names[type] ?? names["*"] ?? BuiltInSectionControllers.single
        return BuiltInSectionControllers.kind(named: name) ?? SingleFieldsSectionController.kind
    }
}
