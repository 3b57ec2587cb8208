// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore

/// The stored lists whose configuration files have mistakes; they are restored when their files are corrected.
@DBusActor
final class UnclaimedLists {
    private var lists: [ExactText: RestoredAdapter] = [:]

    nonisolated init() {}

    /// The names of the lists.
    var names: [ExactText] { Array(lists.keys) }

    /// The stored list with a name; nil if there is none.
    subscript(_ name: String) -> RestoredAdapter? { lists[ExactText(name)] }

    /// Adds a stored list.
    func add(_ list: RestoredAdapter) { lists[ExactText(list.adapter.name)] = list }

    /// Removes the stored list with a name; returns `false` if there was none.
    @discardableResult
    func remove(_ name: ExactText) -> Bool { lists.removeValue(forKey: name) != nil }
}
