// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
import ListProtocol
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Options of adapters")
struct AdapterOptionsTests {
    /// The options in the contract's table: name, signature, default value.
    private static let contract: [(name: String, signature: String, value: Value)] = [
        ("source", "s", "push"),
        ("section-controllers", "a{ss}", .dictionary(key: "s", value: "s", ["*": "listd/single"])),
        ("layout", "s", "flow"), ("direction", "s", "vertical"), ("sticky-headers", "b", false),
        ("stretch-to-edge", "b", false), ("show-header-when-empty", "b", false), ("top-content-inset", "d", 0.0),
        ("sticky-header-offset", "d", 0.0), ("working-range", "u", .uint32(0)), ("near-end-distance", "d", 0.0),
        ("updater", "s", "batch"),
        ("reload-threshold", "u", .uint32(0)), ("section-moves-as-deletes-inserts", "b", false),
        ("prefer-item-reloads", "b", false), ("minimal-moves", "b", false), ("coalesce-min", "u", .uint32(0)),
        ("coalesce-max", "u", .uint32(0)), ("coalesce-increment", "u", .uint32(0)), ("durability", "s", "disk"),
        ("empty", "a{sv}", .dictionary(key: "s", value: "v", [:])),
        ("hints", "a{ss}", .dictionary(key: "s", value: "s", [:])), ("readers", "s", "any"), ("writers", "s", "owner"),
        ("invokers", "s", "owner"),
        ("identify", "s", "none"),
        ("transient", "b", false),
    ]

    @Test("no options are given → the options have the contract's defaults and declared types", .rule("OP-02"))
    func defaults() throws {
        let options = try AdapterOptions([:])
        #expect(options == AdapterOptions())
        #expect(options.values == Dictionary(uniqueKeysWithValues: Self.contract.map { ($0.name, $0.value) }))
        #expect(AdapterOptions.table.rows.map(\.name) == Self.contract.map(\.name))
        #expect(AdapterOptions.table.rows.map(\.signature) == Self.contract.map(\.signature))
        #expect(ListOption.allCases.map(\.type.rawValue) == Self.contract.map(\.signature))
    }

    /// For each option, a value that is not the default.
    private static let others: [String: Value] = [
        "source": "files/directory?/tmp?x",
        "section-controllers": .dictionary(key: "s", value: "s", ["": "a/B", "mail": "listd/binding"]),
        "layout": "none", "direction": "horizontal", "sticky-headers": true, "stretch-to-edge": true,
        "show-header-when-empty": true, "top-content-inset": -1.5, "sticky-header-offset": 7.25,
        "working-range": .uint32(2), "near-end-distance": 250.5,
        "hints": .dictionary(key: "s", value: "s", ["size": "bytes", "time": "time-us"]), "invokers": "group:staff",
        "updater": "reload", "reload-threshold": .uint32(.max),
        "section-moves-as-deletes-inserts": true, "prefer-item-reloads": true, "minimal-moves": true,
        "coalesce-min": .uint32(10), "coalesce-max": .uint32(200), "coalesce-increment": .uint32(5),
        "durability": "fsync", "empty": ["text": "nothing", "list": .array(element: "v", [.variant(.variant(1))])],
        "readers": "group:staff", "writers": "any", "identify": "content", "transient": true,
    ]

    @Test("every option has a value other than the default → decoded and encoded without a change", .rule("OP-02"))
    func roundTrip() throws {
        let options = try AdapterOptions(Self.others)
        #expect(options.values == Self.others)
        #expect(Set(Self.others.keys) == Set(Self.contract.map(\.name)))
        #expect(options.source == .plugin("files", source: "directory", argument: "/tmp?x"))
        #expect(options.readers == .group("staff"))
        #expect(options.coalesceMaximum == 200)
    }

    @Test("an adapter has options → its ListOptions have each option that concerns it")
    func engine() throws {
        var expected = ListOptions(name: "n")
        expected.coalescing.usesMaximumWhenNotVisible = true
        expected.reloadThreshold = 0
        #expect(AdapterOptions().configuration(named: "n") == expected)
        expected.layout = .none
        expected.direction = .horizontal
        expected.stickyHeaders = true
        expected.stretchToEdge = true
        expected.showHeaderWhenEmpty = true
        expected.topContentInset = -1.5
        expected.stickyHeaderOffset = 7.25
        expected.workingRange = 2
        expected.nearEndDistance = 250.5
        expected.updater = .reload
        expected.reloadThreshold = Int(UInt32.max)
        expected.sectionMovesAsDeletesInserts = true
        expected.preferItemReloads = true
        expected.minimalMoves = true
        expected.coalescing = ListOptions.Coalescing(
            minimum: 10, maximum: 200, increment: 5, usesMaximumWhenNotVisible: true)
        expected.emptyContent = ["text": "nothing", "list": .array(element: "v", [.variant(.variant(1))])]
        #expect(try AdapterOptions(Self.others).configuration(named: "n") == expected)
    }

    @Test(
        "a value has the wrong type → InvalidArgs names the option and both types",
        .rule("OP-01"), arguments: Self.contract)
    func wrongType(name: String, signature: String, value: Value) throws {
        let others: [Value] = [
            .byte(1), .boolean(true), .int32(1), .uint32(1), .int64(1), .uint64(1), .double(1), .string("flow"),
            .objectPath("/"), .variant(value), .structure([value]), .array(element: "s", []),
            .array(element: "v", []), .dictionary(key: "s", value: "u", [:]), .dictionary(key: "u", value: "s", [:]),
        ]
        // Numbers have messages of their own.
        for other in others where other.signature != signature && !["u", "d"].contains(signature) {
            #expect(
                throws: ListError(
                    .invalidArguments,
                    "option “\(name)”: the value has the type “\(other.signature)” instead of “\(signature)”")
            ) { try AdapterOptions([name: other]) }
        }
        guard ["u", "d"].contains(signature) else { return }
        #expect(try AdapterOptions([name: .int64(1)]).values[name]?.signature == signature)
        for other in others where other.int == nil && (signature == "u" || other.double == nil) {
            #expect(throws: ListError.self) { try AdapterOptions([name: other]) }
        }
    }

    @Test(
        "a value is out of an option's range → InvalidArgs names the option",
        arguments: [
            ("source", "", "“” is not push, jsonl:/PATH, list:NAME?argument or PLUGIN/SOURCE?argument"),
            ("layout", "grid", "“grid” is not one of flow, absolute, none"),
            ("direction", "Vertical", "“Vertical” is not one of vertical, horizontal"),
            ("updater", "", "“” is not one of batch, reload"),
            ("durability", "tape", "“tape” is not one of memory, disk, fsync"),
            ("readers", "group:", "“group:” is not any, owner or group:NAME"),
            ("writers", "ANY", "“ANY” is not any, owner or group:NAME"),
            ("top-content-inset", .double(.nan), "nan (d) is not a finite number"),
            ("sticky-header-offset", .double(.infinity), "inf (d) is not a finite number"),
            (
                "section-controllers", .dictionary(key: "s", value: "s", ["*": "single"]),
                "“single” is not a name such as PLUGIN/CONTROLLER"
            ),
        ] as [(String, Value, String)])
    func wrongValue(name: String, value: Value, message: String) {
        #expect(throws: ListError(.invalidArguments, "option “\(name)”: \(message)")) {
            try AdapterOptions([name: value])
        }
    }

    @Test(
        "an option is unknown, with or without other options → InvalidArgs names the unknown option", .rule("OP-01"))
    func unknown() {
        #expect(throws: ListError(.invalidArguments, "unknown option “Layout”")) {
            try AdapterOptions(["layout": "flow", "Layout": "flow", "zzz": 1])
        }
    }

    @Test("the option “empty” is nested to D-Bus' limit → it is accepted; one level deeper → InvalidArgs")
    func depth() throws {
        // The option itself is an a{sv} in the message, which uses three of the 32 containers.
        func nested(_ arrays: Int) -> Value {
            var value: Value = .array(element: "y", [])
            for _ in 0..<arrays { value = .array(element: "v", [.variant(value)]) }
            return ["k": value]
        }
        #expect(try AdapterOptions(["empty": nested(14)]).emptyContent.count == 1)
        #expect {
            try AdapterOptions(["empty": nested(15)])
        } throws: {
            ($0 as? ListError)?.code == .invalidArguments && "\($0)".contains("option “empty”")
        }
    }

    @Test(
        "a source name is parsed and printed → it is unchanged; an invalid name is parsed → it is refused",
        arguments: [
            ("push", SourceName.push), ("jsonl:/a/b c.jsonl", .builtIn(.jsonLines, argument: "/a/b c.jsonl")),
            ("files/directory", .plugin("files", source: "directory", argument: "")),
            ("files/directory?/a/b", .plugin("files", source: "directory", argument: "/a/b")),
            ("a/b?c?d", .plugin("a", source: "b", argument: "c?d")),
        ])
    func sources(text: String, source: SourceName) {
        #expect(SourceName(text) == source)
        #expect(source.text == text)
    }

    @Test(
        "a text is not a source name → parsing returns nil",
        arguments: [
            "", "Push", "jsonl:", "jsonl:a", "jsonl:/", "jsonl:/a/", "jsonl:/a\u{0}", "files", "files/", "/directory",
            "a/b/c", "?x", "a?b/c", "push ",
        ])
    func badSources(text: String) {
        #expect(SourceName(text) == nil)
    }
}
