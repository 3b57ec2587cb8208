// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import journal

@Suite("Arguments of a journal list")
struct JournalQueryTests {
    @Test("no options are given → the query asks for the newest 1000 entries of the system's journal, the newest first")
    func nothing() throws {
        let query = try JournalQuery("")
        #expect(query.directory == nil)
        #expect(query.count == 1000)
        #expect(query.order == .newestFirst)
        #expect(query.filter.isEmpty)
    }

    @Test("all options → the query contains every option")
    func options() throws {
        let query = try JournalQuery(
            "/var/log/journal/remote&unit=ssh&unit=dev-sda.swap&priority=warning&lines=50&order=oldest&_UID=0&_UID=7")
        #expect(query.directory == "/var/log/journal/remote")
        #expect(query.units == ["ssh.service", "dev-sda.swap"])
        #expect(query.priority == .warning)
        #expect(query.count == 50)
        #expect(query.order == .oldestFirst)
        #expect(query.matches == ["_UID": ["0", "7"]])
    }

    @Test(
        "a priority is given by name or by number → both result in the same query", arguments: JournalPriority.allCases)
    func priorities(priority: JournalPriority) throws {
        #expect(try JournalQuery("priority=\(priority.name)").priority == priority)
        #expect(try JournalQuery("priority=\(priority.rawValue)").priority == priority)
    }

    @Test(
        "an option with a wrong value → an error that names the option",
        arguments: [
            ("journal", "“journal”"), ("unit=a&colour=red", "colour"), ("priority=8", "priority=8"),
            ("priority=-1", "priority=-1"), ("priority=loud", "loud"), ("lines=0", "lines=0"),
            ("lines=100001", "100000"), ("lines=many", "lines=many"), ("order=random", "order=random"),
            ("/a&message=x", "message"),
            ("/a&1A=x", "1A"),
        ])
    func wrong(text: String, named: String) {
        let error = #expect(throws: (any Error).self) { try JournalQuery(text) }
        #expect(error.map { "\($0)".contains(named) } == true)
    }

    @Test(
        "a single-value option is given twice → invalidArguments that names the option",
        arguments: ["priority=err&priority=info", "/a&lines=5&unit=b&lines=5", "order=newest&order=oldest"])
    func repeated(text: String) throws {
        let error = try #require(throws: ListError.self) { try JournalQuery(text) }
        let name = try #require(["priority", "lines", "order"].first(where: text.contains))
        #expect(error.code == .invalidArguments && error.message.contains("“\(name)”"))
    }

    @Test("several filters are given → an entry must match every field, by any of the field's values")
    func filter() throws {
        let filter = try JournalQuery("priority=alert&_UID=0&_COMM=a&_COMM=b").filter
        #expect(
            filter == [
                .match("PRIORITY=0"), .match("PRIORITY=1"), .and, .match("_COMM=a"), .match("_COMM=b"), .and,
                .match("_UID=0"),
            ])
    }

    @Test("two units are given → the query matches entries that either unit wrote or that are about either unit")
    func units() throws {
        let filter = try JournalQuery("unit=a&unit=b&priority=emerg").filter
        #expect(filter.filter { $0 == .and }.count == 1)
        #expect(filter.filter { $0 == .or }.count == 7)
        for unit in ["a.service", "b.service"] {
            #expect(filter.contains(.match("_SYSTEMD_UNIT=\(unit)")))
            #expect(filter.contains(.match("UNIT=\(unit)")))
        }
        #expect(filter.suffix(2) == [.and, .match("PRIORITY=0")])
    }
}

@Suite("List events for the newest journal entries")
struct JournalWindowTests {
    private func entries(_ numbers: Range<Int>) -> [JournalEntry] {
        numbers.map { JournalEntry(cursor: "\($0)", time: UInt64($0), fields: ["MESSAGE": "\($0)"]) }
    }

    @Test(
        "batches of entries of any size → the list has the newest five entries, in order",
        arguments: ["newest", "oldest"])
    func portions(order: String) throws {
        for sizes in [[0, 1, 2, 3], [7, 1, 1], [3, 9, 2, 30, 1], [4, 4, 4, 4, 4], [5, 5], [6, 4, 1]] {
            var window = JournalWindow(try JournalQuery("lines=5&order=\(order)"))
            var list: [String] = []
            var next = 0
            for (step, size) in sizes.enumerated() {
                let new = entries(next..<next + size)
                next += size
                let event = try step == 0 ? window.replace(with: new) : window.append(new)
                var innerEvent = event
                if case .upTo(let progress, let inner) = event {
                    innerEvent = inner
                    let place = JournalPlace(cursor: progress.cursor ?? [])
                    #expect(place == JournalPlace(window.ids) && progress.position == window.ids.last)
                }
                switch innerEvent {
                case .replace(let objects): list = objects.map(\.id)
                case .changes(let removed, let upserts):
                    list.removeAll { removed.contains($0) }
                    for upsert in upserts {
                        list.insert(upsert.object.id, at: upsert.position == .first ? 0 : list.count)
                    }
                default: Issue.record("\(event)")
                }
                let wanted = (max(0, next - 5)..<next).map(String.init)
                #expect(list == (order == "oldest" ? wanted : wanted.reversed()))
                #expect(window.ids == wanted)
            }
        }
    }

    @Test(
        "a journal entry is converted → the object has the cursor as id, the priority as type, and the entry's fields")
    func object() throws {
        let fields = ["MESSAGE": "no route", "PRIORITY": "3", "_PID": "17", "_SYSTEMD_UNIT": "net.service"]
        let object = try JournalEntry(cursor: "s=1;i=2", time: 5, fields: fields).object()
        #expect(object.id == "s=1;i=2")
        #expect(object.type == "err")
        #expect(
            object.fields == [
                "time": 5, "priority": .uint32(3), "message": "no route", "pid": "17", "unit": "net.service",
            ])
    }

    @Test("a journal entry has no valid priority → the object has the type info", arguments: [nil, "", "9", "x"])
    func noPriority(text: String?) throws {
        let entry = JournalEntry(cursor: "c", time: .max, fields: text.map { ["PRIORITY": $0] } ?? [:])
        #expect(try entry.object().type == "info")
        #expect(try entry.object().fields["time"] == .int64(.max))
    }
}
