// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListWorkers

extension ViewObject {
    func setViewport(_ call: Call) throws {
        try checkOwner(of: call)
        let (seen, x, y, width, height) = try call.arguments(
            as: UInt64.self, Double.self, Double.self, Double.self, Double.self)
        setViewport(call, seen: seen, Rect(x: x, y: y, width: width, height: height))
    }

    func setVisibleRange(_ call: Call) throws {
        try checkOwner(of: call)
        let (seen, firstSection, firstItem, lastSection, lastItem) = try call.arguments(
            as: UInt64.self, UInt32.self, UInt32.self, UInt32.self, UInt32.self)
        performForPicture(call) { growth in
            .setVisibleRange(
                seen: seen, first: IndexPath(section: Int(firstSection), item: Int(firstItem)),
                last: IndexPath(section: Int(lastSection), item: Int(lastItem)), growth: growth)
        }
    }

    func scrollTo(_ call: Call) throws {
        try checkOwner(of: call)
        let (id, item, word) = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            (reader.readIdentifierResult(within: limits), try reader.readUInt32(), try NameArgument(from: &reader).text)
        }
        guard let position = ScrollPosition(rawValue: word) else {
            throw DBusError.invalidArgs("position \(word.quoted) is not one of none, start, center, end")
        }
        perform(call, .scrollTo(id: try id.get(), item: Int(item), position)) { answer, writer in
            guard case .scrolled(let offset, let sequence) = answer else { return false }
            writer.append(offset)
            writer.append(sequence)
            return true
        }
    }

    func reportScroll(_ call: Call) throws {
        try checkOwner(of: call)
        let word = try call.message.read { (reader) throws(DBusError) in try NameArgument(from: &reader).text }
        guard let phase = ScrollPhase(rawValue: word) else {
            throw DBusError.invalidArgs("phase \(word.quoted) is not one of began, ended, decelerated")
        }
        perform(call, .reportScroll(phase)) { _, _ in true }
    }

    func setOnScreen(_ call: Call) throws {
        try checkOwner(of: call)
        perform(call, .setOnScreen(try call.arguments(as: Bool.self))) { _, _ in true }
    }

    func reportSizes(_ call: Call) throws {
        try checkOwner(of: call)
        try service.calls.decode(call) { (reader) throws(DBusError) in
            try reader.array { (rows) throws(DBusError) in
                var sizes: [MeasuredSize] = []
                while !rows.atEnd {
                    sizes.append(try rows.structure { (row) throws(DBusError) in try MeasuredSize(from: &row) })
                }
                return sizes
            }
        } then: { [self] sizes in
            perform(call, .reportSizes(sizes), Self.writeSequence)
        }
    }

    func select(_ call: Call, isSelected: Bool) throws {
        try checkOwner(of: call)
        let (id, item) = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            (try reader.readIdentifier(within: limits), try reader.readUInt32())
        }
        perform(call, .select(id: id, item: Int(item), isSelected)) { answer, writer in
            guard case .flag(let flag) = answer else { return false }
            writer.append(flag)
            return true
        }
    }

    func changeSelection(_ call: Call) throws {
        try checkOwner(of: call)
        try service.calls.decode(call) { [limits = service.limits.objects] (reader) throws(DBusError) in
            let items = (
                select: try reader.readSelectedItems(within: limits),
                deselect: try reader.readSelectedItems(within: limits)
            )
            var indexes: [ExactText: Set<Int>] = [:]
            for item in items.select { indexes[ExactText(item.objectID), default: []].insert(item.item) }
            for item in items.deselect where indexes[ExactText(item.objectID)]?.contains(item.item) == true {
                throw DBusError.invalidArgs("deselect: item \(item.item) of \(item.objectID.quoted) is also in select")
            }
            return items
        } then: { [self] items in
            perform(call, .changeSelection(select: items.select, deselect: items.deselect)) { answer, writer in
                guard case .selection(let selected, let deselected) = answer else { return false }
                writer.append(selected)
                writer.append(deselected)
                return true
            }
        }
    }

    func setHighlighted(_ call: Call) throws {
        try checkOwner(of: call)
        let (id, item, flag) = try call.message.read { [limits = service.limits.objects] (reader) throws(DBusError) in
            (try reader.readIdentifier(within: limits), try reader.readUInt32(), try reader.readBool())
        }
        perform(call, .setHighlighted(id: id, item: Int(item), flag)) { _, _ in true }
    }

    func moveItem(_ call: Call) throws {
        try checkOwner(of: call)
        let (fromSection, fromItem, toSection, toItem) = try call.arguments(
            as: UInt32.self, UInt32.self, UInt32.self, UInt32.self)
        sendWaitingViewport()
        try adapter.moveItem(
            call, from: IndexPath(section: Int(fromSection), item: Int(fromItem)),
            to: IndexPath(section: Int(toSection), item: Int(toItem)))
    }

    func acknowledge(_ call: Call) throws {
        try checkOwner(of: call)
        perform(call, .acknowledge(sequence: try call.arguments(as: UInt64.self))) { _, _ in true }
    }

    func resync(_ call: Call) throws {
        try checkOwner(of: call)
        if call.peer !== owner { try adapter.checkReadingAccess(call) }
        let size = (description?.visibleObjects.count ?? 0) * 256
        service.calls.queue.expectAnswer(to: call, size: size)
        request(for: call, .resync) { [self] outcome in
            var lost = Point.zero
            if case .success = outcome { lost = takeLostShift() }
            answer(call, with: outcome) { [lost, status = adapter.status] answer, writer in
                guard case .picture(var picture) = answer else { return false }
                picture.revision = status.revision
                picture.shift = picture.shift + lost
                writer.append(picture, counts: (status.objectCount, status.itemCount))
                return true
            }
        }
    }
}

extension MessageReader {
    /// Reads items as `a(su)`.
    fileprivate mutating func readSelectedItems(within limits: ObjectLimits) throws(DBusError) -> [SelectedItem] {
        try array { (rows) throws(DBusError) in
            var items: [SelectedItem] = []
            while !rows.atEnd {
                items.append(
                    try rows.structure { (row) throws(DBusError) in
                        SelectedItem(
                            objectID: try row.readIdentifier(within: limits), item: Int(try row.readUInt32()))
                    })
            }
            return items
        }
    }
}

extension MeasuredSize {
    /// Reads the members of a structure `(sudd)`.
    fileprivate init(from row: inout MessageReader) throws(DBusError) {
        self.init(
            objectID: try row.readString(), item: Int(try row.readUInt32()),
            size: Size(width: try row.readDouble(), height: try row.readDouble()))
    }
}
