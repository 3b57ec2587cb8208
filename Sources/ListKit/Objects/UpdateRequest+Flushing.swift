// SPDX-License-Identifier: Apache-2.0

extension UpdateRequest {
    /// Whether the request needs a flush of its own, because its effect depends on the current items.
    @_spi(Daemon) public var requiresOwnTransaction: Bool {
        switch operation {
        case .moveItem, .configure: true
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .reloadObjects, .reloadData, .invalid: false
        }
    }

    /// Whether a transaction with this request may be animated; always `false` for a reload.
    var allowsAnimation: Bool {
        if case .reloadData = operation { false } else { animated }
    }

    /// Returns the error for a request that expects another revision than the list's; `nil` if there is no conflict.
    func conflict(with revision: UInt64) -> ListError? {
        guard expectedRevision != 0, expectedRevision != revision else { return nil }
        return ListError(.revisionConflict, "expected_revision is \(expectedRevision), but the list is at \(revision)")
    }
}

extension UpdateRequest.Operation {
    /// Whether the request writes objects, even if they are the same as before.
    var writesObjects: Bool {
        switch self {
        case .performUpdates, .applyChanges, .moveObject, .patchObject: true
        case .moveItem, .reloadObjects, .reloadData, .invalid, .configure: false
        }
    }
}
