// SPDX-License-Identifier: Apache-2.0

/// A kind of layout: its name in options, and a function that makes a layout.
///
/// A program adds a kind of its own by making it and setting it as ``ListOptions/layout`` or
/// ``ListViewOptions/layout``. Two kinds with the same name are equal.
public struct ListLayoutKind: RawRepresentable, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// All built-in kinds, which are the ones that options can name.
    public static let allCases: [ListLayoutKind] = [.flow, .absolute, .none]

    /// The name.
    public let rawValue: String
    /// Whether the layout reads placements of items instead of sizes.
    public let usesPlacements: Bool
    private let make: @Sendable (LayoutConfiguration) -> any ListLayout

    /// Makes a kind.
    ///
    /// - Parameters:
    ///   - name: the name, which must differ from those of the built-in kinds.
    ///   - usesPlacements: whether the layout reads placements of items instead of sizes.
    ///   - make: makes a layout without sections. Called whenever a view opens and whenever an option of layouts
    ///     changes.
    public init(
        name: String, usesPlacements: Bool = false,
        make: @escaping @Sendable (LayoutConfiguration) -> any ListLayout
    ) {
        rawValue = name
        self.usesPlacements = usesPlacements
        self.make = make
    }

    /// Finds the built-in kind with a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Makes a layout without sections.
    public func makeLayout(_ configuration: LayoutConfiguration) -> any ListLayout { make(configuration) }

    /// The name.
    public var description: String { rawValue }

    /// Returns whether two kinds have the same name.
    public static func == (one: ListLayoutKind, other: ListLayoutKind) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
