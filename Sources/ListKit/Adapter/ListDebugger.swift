// SPDX-License-Identifier: Apache-2.0

/// A debugger that describes the adapters that it tracks. It holds the adapters weakly (rules DB-04, DB-05).
public final class ListDebugger {
    private var adapters = WeakList<ListAdapter>()

    /// Creates a debugger without adapters.
    public init() {}

    /// Tracks an adapter.
    public func track(_ adapter: ListAdapter) { adapters.add(adapter) }

    /// Stops tracking all adapters.
    public func clear() { adapters = WeakList() }

    /// The descriptions of the tracked adapters that still exist, each in lines.
    public var descriptions: [[String]] { adapters.elements.map(\.debugDescriptionLines) }

    /// The descriptions of all tracked adapters in one text.
    public var dump: String { descriptions.joined().joined(separator: "\n") }
}
