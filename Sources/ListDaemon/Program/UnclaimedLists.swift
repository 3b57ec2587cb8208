// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore

/// Stored lists of configuration files that were left out: they go on when their files are mended.
@DBusActor
final class UnclaimedLists {
    private var lists: [ExactText: RestoredAdapter] = [:]

    nonisolated init() {}

    /// Their names.
    var names: [ExactText] { Array(lists.keys) }

    /// The stored list of a name; nil = there is none.
    subscript(_ name: String) -> RestoredAdapter? { lists[ExactText(name)] }

    /// Keeps a stored list.
    func add(_ list: RestoredAdapter) { lists[ExactText(list.adapter.name)] = list }

    /// Removes the stored list of a name; false = there was none.
    @discardableResult
    func remove(_ name: ExactText) -> Bool { lists.removeValue(forKey: name) != nil }
}
