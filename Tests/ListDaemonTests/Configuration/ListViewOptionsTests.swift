// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
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
            "window": .uint32(32), "window-bytes": .uint32(262_144), "buffer": 20.0, "overscan-items": .uint32(0),
            "fields": .array(element: "s", []), "anchor": true, "anchor-at-start": false, "scale": 0.0,
            "working-range-unit": "sections",
        ]
        #expect(try ListViewOptions([:]).values(inForceWith: adapter) == values)
    }

    @Test("every option has a value other than the default → decoded and encoded without a change")
    func roundTrip() throws {
        let values: [String: Value] = [
            "layout": "absolute", "window": .uint32(1), "window-bytes": .uint32(0), "lead": .uint32(3),
            "trail": .uint32(.max), "buffer": 0.5, "overscan-items": .uint32(9),
            "fields": .array(element: "s", ["name", "size"]), "anchor": false, "anchor-at-start": true, "scale": 2.0,
            "working-range-unit": "items", "at": .structure(["o1", .uint32(7), "center"]),
        ]
        let options = try ListViewOptions(values)
        #expect(options.values(inForceWith: AdapterOptions()) == values)
        #expect(options.layout == .absolute && options.lead == 3 && options.trail == 4_294_967_295)
        #expect(options.fields == ["name", "size"] && !options.isAnchored && options.isAnchoredAtStart)
        #expect(options.opening == ListViewOpening(objectID: "o1", item: 7, position: .center))
        #expect(Set(ListViewOptions.table.entries.map(\.name)) == Set(values.keys))
    }

    @Test(
        "an option has a wrong type or a value out of range, or is unknown → InvalidArgs names the option",
        arguments: [
            ("window", .int64(1), "option window: the value has the type \"x\" instead of \"u\""),
            ("window", .uint32(0), #"option window: "0" is not 1 or more"#),
            (
                "fields", .array(element: "v", [.variant("a")]),
                "option fields: the value has the type \"av\" instead of \"as\""
            ),
            ("anchor", .uint32(1), "option anchor: the value has the type \"u\" instead of \"b\""),
            ("buffer", .double(-1), #"option buffer: "-1.0" is not 0 or more"#),
            ("scale", .double(.nan), #"option scale: "nan" is not a finite number"#),
            ("layout", "grid", #"option layout: "grid" is not one of flow, absolute, none"#),
            ("at", "o1", "option at: the value has the type \"s\" instead of \"(sus)\""),
            (
                "at", .structure(["o1", .uint32(0), "top"]),
                #"option at: "top" is not one of none, start, center, end"#
            ),
            (
                "at", .structure(["o1", .int32(0), "end"]),
                "option at: the value has the type \"(sis)\" instead of \"(sus)\""
            ),
            ("colour", "red", #"unknown option "colour""#),
        ] as [(String, Value, String)])
    func faults(name: String, value: Value, message: String) {
        #expect(throws: ListError(.invalidArguments, message)) { try ListViewOptions([name: value]) }
    }
}
