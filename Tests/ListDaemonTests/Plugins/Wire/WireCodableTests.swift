// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
@_spi(Daemon) import ListKit
@_spi(Daemon) import PluginAPI
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Encoding messages between the daemon and a worker")
struct WireCodableTests {
    /// One order of every kind, with all of its parts set.
    private static func orders() throws -> [Order] {
        let object = try ListObject(id: "naïve", type: "row", fields: ["n": .int64(-3), "t": .string("text")])
        var configuration = ListOptions(name: "list")
        configuration.coalescing = ListOptions.Coalescing(minimum: 1, maximum: 200, increment: 3)
        configuration.emptyContent = ["nothing": .boolean(true)]
        configuration.nearEndDistance = 4
        var view = ViewState(id: 7, options: ListViewOptions())
        view.options.fields = ["a", "b"]
        view.options.opening = ListViewOpening(objectID: "x", item: 3, position: .center)
        view.visibleItems = VisibleItems(first: IndexPath(section: 1, item: 2), length: 5)
        let change = PathForwarding(
            sections: PositionMap(oldCount: 4, newCount: 3, runs: [PositionMap.Run(old: 1, new: 0, length: 3)]),
            items: [2: PositionMap(oldCount: 5, newCount: 4)], goneItemCounts: [0: 7])
        view.history = PictureHistory(spans: [PictureHistory.Span(sequence: 3, changes: [change])])
        view.isOnScreen = false
        view.viewport = Rect(x: 0, y: .infinity, width: 1, height: -0.0)
        view.shown = [item]
        view.released = [ViewState.ReleasedSlot(slot: 9, reuseIdentifier: "row")]
        view.measured = [MeasuredSize(objectID: "x", item: 1, size: Size(width: 2, height: .nan))]
        view.nearEnd = "last"
        let table = SectionControllerTable(naming: ["*": "a/B", "row": "listd/single"])
        let setup = PresenterSetup(
            configuration: configuration, controllers: table, objects: [object], views: [view],
            selection: [SelectedItem(objectID: "x", item: 0)], holdsViews: true, holdsItems: false)
        let updates = try Self.updates()
        let path = IndexPath(section: 1, item: 2)
        let orders: [PresenterOrder] =
            [
                .openView(6, 7, view.options), .view(0, 7, .close),
                .query(3, .items(firstSection: 0, sectionCount: 4, byteLimit: 5)),
                .query(3, .itemCounts(firstSection: 1, limit: 2)), .hold(views: true, items: false), .allowChanges(7),
                .moveItem(ItemMoveRequest(id: .max, from: path, to: path, animated: false)),
            ]
        let viewCommands: [ViewCommand] = [
            .setViewport(seen: 3, Rect(x: 1, y: 2, width: 3, height: 4)),
            .setVisibleRange(
                seen: 9, first: IndexPath(section: 0, item: 0), last: IndexPath(section: 1, item: 1)),
            .reportScroll(.ended), .setOnScreen(false), .scrollTo(id: "x", item: 2, .center),
            .reportSizes(view.measured), .select(id: "x", item: 0, true),
            .invoke(id: "x", item: 3, action: "open", parameters: object.fields),
            .setHighlighted(id: "x", item: 0, false), .acknowledge(sequence: 4), .resync, .close,
            .changeSelection(
                select: [SelectedItem(objectID: "x", item: 0)], deselect: [SelectedItem(objectID: "y", item: 1)]),
        ]
        let writing: [DataSourceWrite.Operation] = [
            .replace([object]), .changes(removed: ["a"], upserts: [.init(object, position: .after("b"))]),
            .move(id: "a", position: .first), .patch(id: "a", set: object.fields, unset: ["k"]),
        ]
        let writes: [Order] = writing.map {
            .writeSource(
                8, DataSourceWrite(id: 3, operation: $0, isConditional: true, cursor: [1, 0, 255], user: 1000))
        }
        let presented: [Order] =
            updates.map { .present(4, PresenterUpdate($0), missing: 3) }
            + updates.map { .present(4, PresenterUpdate($0, controllers: table)) }
        let performed: [Order] = orders.map { .perform(5, $0) }
        let asked: [Order] = viewCommands.map { .perform(6, .view(1, 2, $0), by: 1000) }
        return presented + performed + asked + writes + [
            .open(4, setup, missing: 5), .objects(4, [object, object], missing: 2),
            .load(PluginAssignment(path: "/a.so", directories: ["/", "/b"], settings: ["k": "v"], memoryMax: 3)),
            .host(1, crumbSlot: 2), .host(1, crumbSlot: nil), .close(4),
            .makeSource(1, crumbSlot: nil, name: "n", argument: "?"), .startSource(1),
            .startSource(1, cursor: [0, 255]), .eventTaken(2), .stopSource(3),
            .ping,
        ]
    }

    private static let item = PictureItem(
        slot: 3, objectID: "x", section: 1, item: 2, kind: .header, reuseIdentifier: "r",
        frame: Rect(x: 1, y: 2, width: 3, height: 4), z: -5, content: ["c": .double(.nan)])

    private static func reports() throws -> [Report] {
        let object = try ListObject(id: "o")
        var transaction = Transaction(
            baseRevision: 1, revision: 2, kind: .update, animated: true, sectionCount: 3, itemCount: 4)
        transaction.sections.deletes = [IndexRun(first: 1, length: 2)]
        transaction.sections.moves = [IndexMove(old: 1, new: 2)]
        transaction.items.inserts = [ItemPlace(section: 1, item: .max)]
        let place = ItemPlace(section: 0, item: 0)
        transaction.items.moves = [ItemMove(old: place, new: place)]
        var picture = PictureChange(
            view: 1, sequence: 2, revision: 3, contentSize: .zero, offset: Point(x: 1, y: 1))
        picture.released = [1, 2]
        picture.shown = [item]
        picture.placed = [PictureChange.Placement(slot: 1, section: 2, item: 3, frame: .zero, z: 4)]
        picture.rebound = [PictureChange.Rebinding(slot: 5, content: ["a": .byte(1)])]
        picture.transitions = [PictureChange.Transition(slot: 1, frame: .zero)]
        var display = DisplayChange(view: 1, revision: 2)
        display.willDisplay = [SectionReference(section: 1, objectID: "a")]
        display.itemsDidEndDisplaying = [ItemReference(section: 1, objectID: "a", item: 2)]
        var range = WorkingRangeChange(view: 1, revision: 2)
        range.didExit = [SectionReference(section: 1, objectID: "b")]
        range.itemsWillEnter = [ItemReference(section: 3, objectID: "c", item: 4)]
        range.itemsDidExit = [ItemReference(section: 1, objectID: "b", item: 2)]
        let events: [AdapterEvent] = [
            .updated(transaction), .display(display), .workingRange(range),
            .selection(SelectionChange(revision: 1, selected: [SelectedItem(objectID: "x", item: 1)])),
            .picture(picture), .stalled(view: 1, sequence: 2, revision: 3), .closed(view: 4),
            .sectionFault(SectionFault(objectID: "a", controller: "b", reason: "c")),
            .nearEnd(view: 1, revision: 2, distance: 3.5),
            .nearEnd(view: 1, revision: 2, distance: nil),
        ]
        let answers: [PresenterAnswer] = [
            .items(
                next: 2,
                [
                    PlacedItem(
                        section: 1, objectID: "o", index: 2,
                        item: ListItem(identity: "i", reuseIdentifier: "r", content: [:]))
                ]),
            .sequence(4), .scrolled(offset: .zero, sequence: 1), .flag(true),
            .picture(Picture(sequence: 1, revision: 2, contentSize: .zero, offset: .zero, items: [item])), .done,
            .itemCounts([0, .max]),
            .selection(selected: [SelectedItem(objectID: "x", item: 0)], deselected: []),
        ]
        let description = ViewDescription(
            state: .stalled, sequence: 1, acknowledgedSequence: 2, contentSize: .zero, viewport: .zero,
            workingRange: 3..<5, visibleSections: 3..<4, visibleObjects: ["a"],
            visibleItems: VisibleItems(first: IndexPath(section: 8, item: 0), length: 1), byteCount: 1 << 40)
        var news = Announcement(events: events, itemCount: 4)
        news.views = [(1, description)]
        news.selection = [SelectedItem(objectID: "x", item: 1)]
        news.losses = [ContentLoss(reason: .noItemID, count: 3, objectID: "a", key: "items[0].id")]
        let verdicts: [ItemMoveVerdict] = [
            .refused, .error(ListError(.noSuchItem, "x")), .section(from: 1, to: 2), .object(object),
        ]
        let reports: [PresenterReport] =
            [
                .opened(news), .presented(news), .changed(news), .changed(news, answering: .max), .more,
                .answer(2, .failure(ListError(.noSuchObject, "x")), news),
            ] + answers.map { .answer(1, .success($0), news) } + verdicts.map { .moveVerdict(7, $0) }
        var times = CallbackTimes.Times()
        for time in [3, 2] as [UInt64] { times.addCall(nanoseconds: time) }
        return [
            .presented(4, reports, times: ["p": times]),
            .loaded(
                PluginFacts(
                    version: "1", apiVersion: 65536, sectionControllers: ["a"], dataSources: ["b", "c"],
                    hints: ["b": ["size": .bytes]])),
            .refused(ListError(.pluginRefused, "no")), .sourceMade(1, .success(DataSourceTraits(acceptsWrites: true))),
            .sourceMade(1, .failure(ListError(.invalidArguments, ""))),
            .sourceEvent(1, .replace([object])), .sourceEvent(1, .changes(removed: ["a"], upserts: [.init(object)])),
            .sourceEvent(1, .failed(ListError(.pluginFailed, "x"))), .sourceEvent(1, .ready), .sourceEvent(1, .paused),
            .sourceEvent(1, .replacementBegan), .sourceEvent(1, .page([object])), .sourceEvent(1, .replacementEnded),
            .sourceEvent(1, .replacementAbandoned), .sourceEvent(1, .fault(nil)), .sourceEvent(1, .written(7, nil)),
            .sourceEvent(1, .written(7, ListError(.sourceUnavailable, "x"))),
            .sourceEvent(1, .upTo(DataSourceProgress(cursor: [], position: "p", synced: 9), .replacementEnded)),
            .sourceEvent(1, .upTo(DataSourceProgress(), .changes(removed: [], upserts: [.init(object)]))),
            .sourceStopped(3), .log(.notice, "hello"), .alive,
        ]
    }

    @Test("a message of each kind is decoded and encoded again → the bytes are the same")
    func roundTrip() throws {
        for order in try Self.orders() { try expectSame(order) }
        for report in try Self.reports() { try expectSame(report) }
    }

    /// Updates that contain the new list and its presentation.
    private static func updates() throws -> [Change] {
        let object = try ListObject(id: "o", type: "t", fields: ["n": .int64(1)])
        var update = Change()
        update.removed = [(0, nil), (7, nil)]
        update.inserted = [(0, object, nil), (300, object, nil)]
        update.moved = [(5, 1, nil, nil)]
        update.updated = [(5, nil, object)]
        update.reloads = [IndexRun(first: 2, length: 3)]
        (update.scope, update.animated) = ([.layout, .items], false)
        update.options = ListOptions(name: "list")
        update.through = Ticket(number: 9)
        return [Change(), update]
    }

    @Test("an update is encoded and decoded → only its new list is missing; it is truncated → decoding throws an error")
    func presenting() throws {
        for update in try Self.updates() {
            var update = update
            let order = PresenterUpdate(update)
            update.list = try [ListObject(id: "o")]
            #expect(WireWriter.bytes(of: PresenterUpdate(update)) == WireWriter.bytes(of: order))
            let bytes = WireWriter.bytes(of: order)
            let again = try #require(try WireReader.value(of: PresenterUpdate.self, from: bytes).change)
            update.list = nil
            #expect("\(again)" == "\(update)")
            for count in bytes.indices {
                #expect(throws: WireError.self) {
                    try WireReader.value(of: PresenterUpdate.self, from: Array(bytes[..<count]))
                }
            }
        }
    }

    @Test("an update arrives without some of its objects → it is decoded after the remaining objects arrive")
    func missingObjects() throws {
        let update = try Self.updates()[1]
        var part = PresenterUpdate(update)
        let objects = part.objects
        part.objects = Array(objects[..<2])
        #expect(objects.count == 3 && part.change == nil)
        var whole = part
        whole.objects += objects[2...]
        #expect(whole.change?.updated.map(\.object) == update.updated.map(\.object))
    }

    @Test("changes or items are invalid → decoding them throws an error")
    func absurdChanges() throws {
        for position in [-1, .min, .max] {
            var update = Change()
            update.removed = [(position, nil)]
            let bytes = WireWriter.bytes(of: PresenterUpdate(update))
            #expect(throws: WireError.self) { try WireReader.value(of: PresenterUpdate.self, from: bytes) }
            let verdict = WireWriter.bytes(of: ItemMoveVerdict.section(from: 0, to: position))
            #expect(throws: WireError.self) { try WireReader.value(of: ItemMoveVerdict.self, from: verdict) }
        }
        let presented = WireWriter.bytes(of: Announcement(itemCount: -1))
        #expect(throws: WireError.self) { try WireReader.value(of: Announcement.self, from: presented) }
    }

    private func expectSame<Value: WireCodable>(_ value: Value) throws {
        let bytes = WireWriter.bytes(of: value)
        let again = try WireReader.value(of: Value.self, from: bytes)
        // A dictionary may be decoded in another order.
        #expect(WireWriter.bytes(of: again).count == bytes.count)
        #expect("\(again)".count == "\(value)".count)
    }

    @Test("a message is truncated at any byte → decoding it throws an error")
    func cut() throws {
        for report in try Self.reports() {
            let bytes = WireWriter.bytes(of: report)
            for count in bytes.indices {
                #expect(throws: WireError.self) {
                    try WireReader.value(of: Report.self, from: Array(bytes[..<count]))
                }
            }
        }
    }

    @Test(
        "random bytes of a message are changed → decoding never traps, and its memory is bounded by the message's size",
        arguments: 0..<4)
    func changed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let all = try Self.reports().map { WireWriter.bytes(of: $0) } + Self.orders().map { WireWriter.bytes(of: $0) }
        var read = 0
        for bytes in all {
            for _ in 0..<200 {
                var bytes = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                if (try? WireReader.value(of: Report.self, from: bytes)) != nil { read += 1 }
                if (try? WireReader.value(of: Order.self, from: bytes)) != nil { read += 1 }
            }
        }
        #expect(read > 0)
    }

    /// Reports with a number that is impossible for a list.
    private static func absurdReports() -> [PresenterReport] {
        var events: [AdapterEvent] = []
        var reports: [PresenterReport] = []
        let none = Announcement(itemCount: 0)
        for number in [-1, .min, .max] {
            var display = DisplayChange(view: 1, revision: 2)
            display.willDisplay = [SectionReference(section: number, objectID: "a")]
            var items = DisplayChange(view: 1, revision: 2)
            items.itemsWillDisplay = [ItemReference(section: 0, objectID: "a", item: number)]
            var picture = PictureChange(view: 1, sequence: 2, revision: 3, contentSize: .zero, offset: .zero)
            picture.placed = [PictureChange.Placement(slot: 1, section: number, item: 3, frame: .zero, z: 4)]
            var shown = PictureChange(view: 1, sequence: 2, revision: 3, contentSize: .zero, offset: .zero)
            shown.shown = [item]
            shown.shown[0].item = number
            let transaction = Transaction(
                baseRevision: 1, revision: 2, kind: .update, animated: true, sectionCount: number, itemCount: 4)
            events += [.display(display), .display(items), .picture(picture), .picture(shown), .updated(transaction)]
            var selection = none
            selection.selection = [SelectedItem(objectID: "a", item: number)]
            reports += [
                .changed(selection), .answer(1, .success(.items(next: number, [])), none),
            ]
        }
        let picture = Picture(sequence: .max, revision: 2, contentSize: .zero, offset: .zero, items: [])
        events.append(
            .picture(PictureChange(view: 1, sequence: .max, revision: 3, contentSize: .zero, offset: .zero)))
        return reports + [.answer(1, .success(.picture(picture)), none)]
            + events.map { .changed(Announcement(events: [$0], itemCount: 0)) }
    }

    @Test("positions or sequences are out of range → decoding them throws an error")
    func absurdNumbers() {
        for absurd in Self.absurdReports() {
            let report = Report.presented(4, [absurd])
            #expect(throws: WireError.self, "\(absurd)") {
                try WireReader.value(of: Report.self, from: WireWriter.bytes(of: report))
            }
        }
    }

    @Test(
        "a range is invalid → decoding it throws an error",
        arguments: [(.min, .max), (-1, 0), (-2, -1), (0, .max), (2, 1), (0, 1 << 32)] as [(Int, Int)])
    func ranges(lower: Int, upper: Int) {
        var writer = WireWriter()
        writer.write(lower, upper)
        #expect(throws: WireError.self) { try WireReader.value(of: Range<Int>.self, from: writer.bytes) }
    }

    @Test("a short message announces many large elements → reserved memory is bounded by the message's size")
    func reservation() throws {
        let reader = WireReader([UInt8](repeating: 0, count: 1 << 16))
        #expect(reader.safeCapacity(for: 1 << 16, of: PictureItem.self) * MemoryLayout<PictureItem>.stride <= 1 << 16)
        #expect(reader.safeCapacity(for: 3, of: PictureItem.self) == 3)
        #expect(reader.safeCapacity(for: 1 << 16, of: UInt8.self) == 1 << 16)
    }

    @Test("a value is large → it is sent in a sealed memory file; a received file is not sealed memory → it is refused")
    func packets() throws {
        let object = try ListObject(id: "big", fields: ["t": .string(String(repeating: "x", count: 1 << 20))])
        let packet = try WorkerPacket(Report.sourceEvent(1, .replace([object])))
        guard case .file(let file) = packet else {
            Issue.record("the value was not sent in a file")
            return
        }
        guard case .sourceEvent(1, .replace(let objects)) = try packet.value(of: Report.self) else {
            Issue.record("the packet had another content")
            return
        }
        #expect(objects == [object])
        _ = file
        let directory = TemporaryDirectory()
        let path = directory.path + "/plain"
        try "plain".write(toFile: path, atomically: true, encoding: .utf8)
        let plain = WorkerPacket.file(FileDescriptor(adopting: unsafe open(path, O_RDONLY)))
        #expect(throws: WireError.self) { try plain.value(of: Report.self) }
    }
}
