// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Options of views")
struct ListViewOptionsTests {
    @Test("no options are given → the view has the contract's defaults, or the adapter's own defaults")
    func defaults() throws {
        var adapter = AdapterOptions()
        adapter.layout = .absolute
        adapter.workingRange = 7
        let values: [String: Value] = [
            "layout": "absolute", "lead": .uint32(7), "trail": .uint32(7),
            "window": .uint32(32), "window-bytes": .uint32(262_144), "buffer": 20.0, "prefetch": 0.0,
            "overscan-items": .uint32(0),
            "fields": .array(element: "s", []), "anchor": true, "anchor-at-start": false, "scale": 0.0,
            "working-range-unit": "sections", "range-at": "picture",
        ]
        #expect(try ListViewOptions([:]).values(inForceWith: adapter) == values)
    }

    @Test("every option has a value other than the default → decoded and encoded without a change")
    func roundTrip() throws {
        let values: [String: Value] = [
            "layout": "absolute", "window": .uint32(1), "window-bytes": .uint32(0), "lead": .uint32(3),
            "trail": .uint32(.max), "buffer": 0.5, "prefetch": 800.0, "overscan-items": .uint32(9),
            "fields": .array(element: "s", ["name", "size"]), "anchor": false, "anchor-at-start": true, "scale": 2.0,
            "working-range-unit": "items", "range-at": "revision", "at": .structure(["o1", .uint32(7), "center"]),
        ]
        let options = try ListViewOptions(values)
        #expect(options.values(inForceWith: AdapterOptions()) == values)
        #expect(options.layout == .absolute && options.lead == 3 && options.trail == 4_294_967_295)
        #expect(options.fields == ["name", "size"] && !options.isAnchored && options.isAnchoredAtStart)
        #expect(options.opening == ListViewOpening(objectID: "o1", item: 7, position: .center))
        #expect(Set(ListViewOptions.table.rows.map(\.name)) == Set(values.keys))
    }

    @Test(
        "an option has a wrong type or a value out of range, or is unknown → InvalidArgs names the option",
        .rule("OP-01", "OP-03"),
        arguments: [
            ("window", .int32(-1), "option “window”: -1 (i) is not a whole number from 0 to 4294967295"),
            ("window", .uint32(0), "option “window”: 0 (u) is not a whole number from 1 to 4294967295"),
            ("lead", .int64(1 << 32), "option “lead”: 4294967296 (x) is not a whole number from 0 to 4294967295"),
            ("lead", .uint64(.max), "option “lead”: \(UInt64.max) (t) is not a whole number from 0 to 4294967295"),
            ("trail", .double(1), "option “trail”: 1.0 (d) is not a whole number from 0 to 4294967295"),
            ("trail", .boolean(true), "option “trail”: true (b) is not a whole number from 0 to 4294967295"),
            ("overscan-items", "7", "option “overscan-items”: “7” (s) is not a whole number from 0 to 4294967295"),
            (
                "lead", .variant(.uint32(1)), "option “lead”: <…> (v) is not a whole number from 0 to 4294967295"
            ),
            (
                "fields", .array(element: "v", [.variant("a")]),
                "option “fields”: the value has the type “av” instead of “as”"
            ),
            ("anchor", .uint32(1), "option “anchor”: the value has the type “u” instead of “b”"),
            ("buffer", .double(-1), "option “buffer”: -1.0 (d) is not a finite number of at least 0"),
            ("buffer", .int16(-1), "option “buffer”: -1 (n) is not a finite number of at least 0"),
            ("buffer", .array(element: "d", []), "option “buffer”: […] (ad) is not a number"),
            ("prefetch", .double(.infinity), "option “prefetch”: inf (d) is not a finite number of at least 0"),
            ("scale", .double(.nan), "option “scale”: nan (d) is not a finite number of at least 0"),
            ("scale", .boolean(false), "option “scale”: false (b) is not a number"),
            ("layout", "grid", "option “layout”: “grid” is not one of flow, absolute, none"),
            ("range-at", "epoch", "option “range-at”: “epoch” is not one of picture, revision"),
            ("at", "o1", "option “at”: the value has the type “s” instead of “(sus)”"),
            (
                "at", .structure(["o1", .uint32(0), "top"]),
                "option “at”: “top” is not one of none, start, center, end"
            ),
            (
                "at", .structure(["o1", .int32(0), "end"]),
                "option “at”: the value has the type “(sis)” instead of “(sus)”"
            ),
            ("colour", "red", "unknown option “colour”"),
        ] as [(String, Value, String)])
    func faults(name: String, value: Value, message: String) {
        #expect(throws: ListError(.invalidArguments, message)) { try ListViewOptions([name: value]) }
    }

    @Test(
        "a number has any integer type that it fits → it is taken, and Options has the type of the table",
        .rule("OP-03"))
    func integers() throws {
        let seven: [Value] = [
            .byte(7), .int16(7), .uint16(7), .int32(7), .uint32(7), .int64(7), .uint64(7),
        ]
        for value in seven {
            let options = try ListViewOptions(["window": value, "buffer": value])
            #expect(options.window == 7 && options.buffer == 7)
            let values = options.values(inForceWith: AdapterOptions())
            #expect(values["window"] == .uint32(7) && values["buffer"] == .double(7))
        }
        #expect(try ListViewOptions(["buffer": .uint64(1 << 53 + 1)]).buffer == Double(UInt64(1 << 53 + 1)))
    }
}
