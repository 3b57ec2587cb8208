// SPDX-License-Identifier: Apache-2.0

/// The section controllers that need no plugin.
public enum BuiltInSectionControllers {
    /// The name of the controller that shows the fields of its object in one item.
    public static let single = "listd/single"
    /// The name of the controller that shows the items in the field `items`, with header and footer.
    public static let binding = "listd/binding"

    /// Returns the kind with a name, or `nil` if no built-in controller has the name.
    public static func kind(named name: String) -> ListSectionControllerKind? {
        switch name {
        case single: SingleFieldsSectionController.kind
        case binding: BindingFieldsSectionController.kind
        default: nil
        }
    }
}

/// A provider that selects a built-in controller for each object type by a table of names.
///
/// For a type that is not in the table, it uses the entry `*`, or else `listd/single`. For a name that is not built
/// in, it uses `listd/single`.
public final class BuiltInSectionControllerProvider: ListSectionControllerProvider {
    private let names: [String: String]

    /// Makes a provider.
    public init(names: [String: String] = [:]) { self.names = names }

    /// Returns the kind for a type, never `nil`.
    public func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        let name = names[type] ?? names["*"] ?? BuiltInSectionControllers.single
        return BuiltInSectionControllers.kind(named: name) ?? SingleFieldsSectionController.kind
    }
}
