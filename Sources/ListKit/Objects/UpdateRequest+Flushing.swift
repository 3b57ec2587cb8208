// SPDX-License-Identifier: Apache-2.0

extension UpdateRequest {
    /// Whether the request shares a flush with no other, because its effect depends on the present items.
    @_spi(Daemon) public var requiresOwnTransaction: Bool {
        switch operation {
        case .moveItem, .configure: true
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .reloadObjects, .reloadData, .invalid: false
        }
    }

    /// Whether its transaction may be animated; a reload never is.
    var allowsAnimation: Bool {
        if case .reloadData = operation { false } else { animated }
    }

    /// The error of a request that expects another revision than the list has; `nil` when it does not.
    func conflict(with revision: UInt64) -> ListError? {
        guard expectedRevision != 0, expectedRevision != revision else { return nil }
        return ListError(.revisionConflict, "expected_revision \(expectedRevision): the list is at \(revision)")
    }
}
