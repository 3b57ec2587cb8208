// SPDX-License-Identifier: Apache-2.0

/// A kind of layout: the name that options give it, and how one is made.
///
/// A program adds its own by making a kind and setting it as ``ListOptions/layout`` or ``ListViewOptions/layout``. Two kinds
/// with the same name are equal.
public struct ListLayoutKind: RawRepresentable, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// Every built-in kind: those that options can name.
    public static let allCases: [ListLayoutKind] = [.flow, .absolute, .none]

    /// The name.
    public let rawValue: String
    /// Whether the layout asks for the items' placements instead of their sizes.
    public let usesPlacements: Bool
    private let make: @Sendable (LayoutConfiguration) -> any ListLayout

    /// Makes a kind.
    ///
    /// - Parameters:
    ///   - name: a name that no built-in kind has.
    ///   - usesPlacements: whether the layout asks for the items' placements instead of their sizes.
    ///   - make: makes a layout that knows no list yet; called whenever a view opens and whenever an option of layouts
    ///     changes.
    public init(
        name: String, usesPlacements: Bool = false,
        make: @escaping @Sendable (LayoutConfiguration) -> any ListLayout
    ) {
        rawValue = name
        self.usesPlacements = usesPlacements
        self.make = make
    }

    /// The built-in kind of a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Makes a layout that knows no list yet.
    public func makeLayout(_ configuration: LayoutConfiguration) -> any ListLayout { make(configuration) }

    /// The name.
    public var description: String { rawValue }

    /// Whether two kinds have the same name.
    public static func == (one: ListLayoutKind, other: ListLayoutKind) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
