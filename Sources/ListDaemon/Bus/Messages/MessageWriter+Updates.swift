// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListWorkers

// The encoding of an adapter's signals, in the order of the contract's arguments.

extension MessageWriter {
    /// Appends the arguments of `Updated`.
    mutating func append(_ transaction: Transaction, of epoch: String, isFlat: Bool) {
        append(epoch)
        append(transaction.baseRevision)
        append(transaction.revision)
        append(transaction.kind.rawValue)
        append(transaction.animated)
        append(UInt32(clamping: transaction.sectionCount))
        append(UInt32(clamping: transaction.itemCount))
        append(transaction.sections)
        append(transaction.items)
        appendDetails(isFlat: isFlat)
    }

    /// Appends the arguments of an `Updated` of kind `announce`, which repeats the present revision with empty
    /// batches.
    mutating func append(announcing status: AdapterStatus, of epoch: String) {
        append(epoch)
        append(status.revision)
        append(status.revision)
        append("announce")
        append(false)
        append(UInt32(clamping: status.objectCount))
        append(UInt32(clamping: status.itemCount))
        append(SectionBatch())
        append(ItemBatch())
        appendDetails(isFlat: status.isFlat)
    }

    private mutating func appendDetails(isFlat: Bool) { append(details: isFlat ? [("flat", .boolean(true))] : []) }

    /// Appends the last argument of signals and answers that can grow: an `a{sv}`, in which nothing is left out that says
    /// something, and nothing else stands.
    mutating func append(details: [(name: String, value: DBusValue)]) { NamedValues(details).encode(to: &self) }

    /// Appends the arguments of `DisplayChanged`.
    mutating func append(_ change: DisplayChange) {
        append(ObjectPath.view(change.view))
        append(change.revision)
        append(change.willDisplay)
        append(change.didEndDisplaying)
        append(change.itemsWillDisplay)
        append(change.itemsDidEndDisplaying)
        append(details: [])
    }

    /// Appends the arguments of `WorkingRangeChanged`.
    mutating func append(_ change: WorkingRangeChange) {
        append(ObjectPath.view(change.view))
        append(change.revision)
        append(change.willEnter)
        append(change.didExit)
        let items = [("items-will-enter", change.itemsWillEnter), ("items-did-exit", change.itemsDidExit)]
        append(details: items.filter { !$1.isEmpty }.map { ($0, .items($1)) })
    }

    /// Appends the arguments of `SelectionChanged`.
    mutating func append(_ change: SelectionChange) {
        append(change.revision)
        append(change.selected)
        append(change.deselected)
        append(details: [])
    }

    /// Appends a transaction as an element of the answer to `GetChanges`.
    mutating func appendChange(_ transaction: Transaction) {
        structure { members in
            members.append(transaction.baseRevision)
            members.append(transaction.revision)
            members.append(transaction.kind.rawValue)
            members.append(UInt32(clamping: transaction.sectionCount))
            members.append(UInt32(clamping: transaction.itemCount))
            members.append(transaction.sections)
            members.append(transaction.items)
        }
    }

    /// Appends the deletes, inserts, moves and reloads of sections.
    mutating func append(_ batch: SectionBatch) {
        structure { members in
            members.append(batch.deletes)
            members.append(batch.inserts)
            members.array { moves in
                for move in batch.moves { moves.appendPair(move.old, move.new) }
            }
            members.append(batch.reloads)
        }
    }

    /// Appends the deletes, inserts, moves and reloads of items.
    mutating func append(_ batch: ItemBatch) {
        structure { members in
            members.append(batch.deletes)
            members.append(batch.inserts)
            members.array { moves in
                for move in batch.moves {
                    moves.structure { place in
                        place.append(move.old.section)
                        place.append(move.old.item)
                        place.append(move.new.section)
                        place.append(move.new.item)
                    }
                }
            }
            members.append(batch.reloads)
        }
    }

    private mutating func append(_ runs: [IndexRun]) {
        array { elements in
            for run in runs { elements.appendPair(run.first, run.length) }
        }
    }

    private mutating func append(_ places: [ItemPlace]) {
        array { elements in
            for place in places { elements.appendPair(place.section, place.item) }
        }
    }

    private mutating func appendPair(_ first: UInt32, _ second: UInt32) {
        structure { pair in
            pair.append(first)
            pair.append(second)
        }
    }
}

extension MessageWriter {
    /// Appends sections with the identifiers of their objects.
    mutating func append(_ sections: [SectionReference]) {
        array { elements in
            for reference in sections {
                elements.structure { members in
                    members.append(UInt32(clamping: reference.section))
                    members.append(reference.objectID)
                }
            }
        }
    }

    /// Appends items with the identifiers of their objects.
    mutating func append(_ items: [ItemReference]) {
        array { elements in
            for reference in items {
                elements.structure { members in
                    members.append(UInt32(clamping: reference.section))
                    members.append(reference.objectID)
                    members.append(UInt32(clamping: reference.item))
                }
            }
        }
    }

    /// Appends selected items.
    mutating func append(_ items: [SelectedItem]) {
        array { elements in
            for item in items {
                elements.structure { members in
                    members.append(item.objectID)
                    members.append(UInt32(clamping: item.item))
                }
            }
        }
    }
}

extension DBusValue {
    /// Makes a value with items and the identifiers of their objects.
    fileprivate static func items(_ items: [ItemReference]) -> DBusValue {
        .array(
            element: "(usu)",
            items.map { reference in
                .structure([
                    .uint32(UInt32(clamping: reference.section)), .string(reference.objectID),
                    .uint32(UInt32(clamping: reference.item)),
                ])
            })
    }
}
