// SPDX-License-Identifier: Apache-2.0

/// Describes the adapters that it tracks, which it holds weakly (rules DB-04, DB-05).
public final class ListDebugger {
    private var adapters = WeakList<ListAdapter>()

    /// Makes a debugger without adapters.
    public init() {}

    /// Tracks an adapter.
    public func track(_ adapter: ListAdapter) { adapters.add(adapter) }

    /// Stops tracking all adapters.
    public func clear() { adapters = WeakList() }

    /// The lines of each living adapter.
    public var descriptions: [[String]] { adapters.elements.map(\.debugDescriptionLines) }

    /// All of it in one text.
    public var dump: String { descriptions.joined().joined(separator: "\n") }
}
