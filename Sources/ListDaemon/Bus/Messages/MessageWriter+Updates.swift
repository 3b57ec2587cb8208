// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
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
    mutating func append(announcing status: ListStatus, of epoch: String) {
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

    mutating func append(_ items: some Sequence<SelectedItem>) {
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

// The canonical encoding is copied into a message value by value, without an intermediate tree.

extension MessageWriter {
    /// Appends fields as `a{sv}`.
    mutating func append(_ fields: Fields) {
        array { entries in
            fields.visitEntries { key, type, value, text in
                entries.dictionaryEntry { members in
                    members.append(utf8: key)
                    members.variant(type: type) { variant in
                        if let text { return variant.append(utf8: text) }
                        var value = value
                        variant.appendAll(of: &value)
                    }
                }
            }
        }
    }

    /// Appends options as `a{sv}`.
    mutating func append(options: [String: Value]) {
        do throws(ListError) { append(try Fields(options)) } catch { fail(error.dbusError) }
    }

    private mutating func appendAll(of reader: inout FieldsReader) {
        while let element = reader.next() { append(element) }
    }

    private mutating func append(_ element: FieldsReader.Element) {
        switch element {
        case .byte(let value): append(value)
        case .boolean(let value): append(value)
        case .int16(let value): append(value)
        case .uint16(let value): append(value)
        case .int32(let value): append(value)
        case .uint32(let value): append(value)
        case .int64(let value): append(value)
        case .uint64(let value): append(value)
        case .double(let value): append(value)
        case .string(let text): text.withBytes { append(utf8: $0) }
        case .objectPath(let text): appendChecked { () throws(DBusError) in try ObjectPath(text.string) }
        case .signature(let text): appendChecked { () throws(DBusError) in try Signature(text.string) }
        case .variant(let type, var inside):
            type.withBytes { type in variant(type: type) { $0.appendAll(of: &inside) } }
        case .array(_, var inside): array { $0.appendAll(of: &inside) }
        case .dictionaryEntry(var inside): dictionaryEntry { $0.appendAll(of: &inside) }
        case .structure(var inside): structure { $0.appendAll(of: &inside) }
        }
    }

    private mutating func appendChecked(_ make: () throws(DBusError) -> ObjectPath) {
        do throws(DBusError) { append(try make()) } catch { fail(error) }
    }

    private mutating func appendChecked(_ make: () throws(DBusError) -> Signature) {
        do throws(DBusError) { append(try make()) } catch { fail(error) }
    }
}

/// Values by name, written as an `a{sv}` in the given order.
struct NamedValues: DBusEncodable, Sendable {
    private var entries: [(name: String, value: DBusValue)]

    /// Makes a list of values. No name may be contained twice.
    init(_ entries: [(name: String, value: DBusValue)]) { self.entries = entries }

    static var signature: Signature { [String: DBusValue].signature }

    mutating func append(_ name: String, _ value: DBusValue) { entries.append((name, value)) }

    func encode(to writer: inout MessageWriter) {
        writer.array { inside in
            for (name, value) in entries {
                inside.dictionaryEntry { entry in
                    entry.append(name)
                    value.encode(to: &entry)
                }
            }
        }
    }
}
