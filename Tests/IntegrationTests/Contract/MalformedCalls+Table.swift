// SPDX-License-Identifier: Apache-2.0

import DBus

extension MalformedCall {
    /// All malformed calls, at least two hundred.
    static let table: [MalformedCall] =
        wrongSignatures + unknownThings + adapterOptions + updates + changes + reading + viewOptions + viewing
        + plugins

    // MARK: Signatures and names

    /// Calls of every method with a wrong number or wrong types of arguments.
    private static let wrongSignatures: [MalformedCall] = {
        let methods: [(Target, String, String)] = [
            (.manager, "CreateAdapter", "sa{sv}"), (.manager, "RemoveAdapter", "s"), (.manager, "GetAdapter", "s"),
            (.manager, "RenameAdapter", "ss"),
            (.manager, "LoadPlugin", "s"), (.manager, "UnloadPlugin", "s"),
            (.manager, "Backup", "h"), (.manager, "Restore", "h"), (.adapter, "PerformUpdates", "ta(ssa{sv})a{sv}"),
            (.adapter, "PerformUpdatesFromFile", "thsa{sv}"), (.adapter, "ApplyChanges", "tasa(ssssa{sv})a{sv}"),
            (.adapter, "MoveObject", "tsss"), (.adapter, "PatchObject", "tsa{sv}as"), (.adapter, "ReloadObjects", "as"),
            (.adapter, "GetObjects", "uu"), (.adapter, "GetObjectsByFileDescriptor", "uus"),
            (.adapter, "FindObject", "s"), (.adapter, "GetItems", "uuas"), (.adapter, "GetChanges", "st"),
            (.adapter, "GetItemCounts", "uu"), (.adapter, "Search", "sasub"),
            (.adapter, "SetSourceArgument", "s"),
            (.adapter, "OpenView", "a{sv}"), (.adapter, "Subscribe", "as"), (.adapter, "Unsubscribe", "t"),
            (.view, "SetViewport", "tdddd"),
            (.view, "SetVisibleRange", "tuuuu"), (.view, "ReportScroll", "s"), (.view, "SetOnScreen", "b"),
            (.view, "ScrollTo", "sus"), (.view, "ReportSizes", "a(sudd)"),
            (.view, "Select", "su"), (.view, "Deselect", "su"),
            (.view, "ChangeSelection", "a(su)a(su)"), (.view, "SetHighlighted", "sub"),
            (.view, "Invoke", "susa{sv}"),
            (.view, "MoveItem", "uuuu"), (.view, "Ack", "t"),
        ]
        let bodies: [[DBusValue]] = [[], [.double(1)], [.string("x"), .string("y"), .string("z"), .byte(0), .byte(1)]]
        let withArguments = methods.flatMap { target, member, _ in
            bodies.map { MalformedCall(target, member, $0, "InvalidArgs") }
        }
        let withoutArguments: [(Target, String)] = [
            (.manager, "ListAdapters"), (.manager, "ListClients"),
            (.manager, "ListViews"), (.manager, "ListPlugins"), (.manager, "Reload"),
            (.manager, "AcknowledgeLosses"),
            (.manager, "GetStatistics"), (.manager, "Dump"), (.manager, "DumpByFileDescriptor"),
            (.adapter, "ReloadData"), (.view, "Resync"), (.view, "Close"),
        ]
        return withArguments
            + withoutArguments.map { MalformedCall($0.0, $0.1, [.uint32(1)], "InvalidArgs", "1 arguments") }
    }()

    private static let unknownThings: [MalformedCall] = [
        MalformedCall(.manager, "NoSuchMethod", [], "UnknownMethod", "NoSuchMethod"),
        MalformedCall(.adapter, "performUpdates", [], "UnknownMethod", "performUpdates"),
        MalformedCall(.view, "Changed", [], "UnknownMethod", "Changed"),
        MalformedCall(.path("/org/listd/Listd1", "org.listd.Listd1.Adapter"), "ReloadData", [], "UnknownInterface"),
        MalformedCall(.path("/org/listd/Listd1", "org.listd.Listd2.Manager"), "Reload", [], "UnknownInterface"),
        MalformedCall(.path("/", "org.listd.Listd1.Manager"), "Reload", [], "UnknownInterface"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters", "org.listd.Listd1.Adapter"), "ReloadData", [], "UnknownInterface"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters/nope", "org.listd.Listd1.Adapter"), "ReloadData", [], "UnknownObject",
            "nope"),
        MalformedCall(
            .path("/org/listd/Listd1/plugins/nope", "org.freedesktop.DBus.Properties"), "GetAll", [.string("")],
            "UnknownObject"),
        MalformedCall(
            .path("/org/listd/Listd1/views/999999", "org.listd.Listd1.View"), "Resync", [], "UnknownObject", "999999"),
        MalformedCall(.path("/org/listd/Listd1/views/x", "org.listd.Listd1.View"), "Resync", [], "UnknownObject"),
        MalformedCall(.path("/nowhere", "org.freedesktop.DBus.Introspectable"), "Introspect", [], "UnknownObject"),
        property("Get", [.string("org.listd.Listd1.Manager"), .string("Nope")], "UnknownProperty", "Nope"),
        property("Get", [.string("org.listd.Listd1.Nope"), .string("Version")], "UnknownInterface", "Nope"),
        property("GetAll", [.string("org.listd.Listd1.Nope")], "UnknownInterface", "Nope"),
        property("Get", [.string("org.listd.Listd1.Manager")], "InvalidArgs", "property_name"),
        property(
            "Set", [.string("org.listd.Listd1.Manager"), .string("Version"), .variant(.string("2"))],
            "PropertyReadOnly", "Version"),
        property(
            "Set", [.string("org.listd.Listd1.Manager"), .string("LogLevel"), .variant(.string("debug"))],
            "UnknownProperty", "LogLevel"),
        property(
            "Set", [.string("org.listd.Listd1.Manager"), .string("Nope"), .variant(.string("2"))], "UnknownProperty",
            "Nope"),
        MalformedCall(.manager, "GetAdapter", [.string("nope")], "NoSuchAdapter", "nope"),
        MalformedCall(.manager, "GetAdapter", [.string("")], "NoSuchAdapter", "“”"),
        MalformedCall(.manager, "RemoveAdapter", [.string("nope")], "NoSuchAdapter", "nope"),
        MalformedCall(.manager, "CreateAdapter", [.string(""), .options([:])], "InvalidArgs", "name"),
        MalformedCall(.manager, "RenameAdapter", [.string("nope"), .string("x")], "NoSuchAdapter", "nope"),
        MalformedCall(.manager, "SetLogLevel", [.string("debug")], "UnknownMethod", "SetLogLevel"),
        MalformedCall(.manager, "DescribeAdapters", [], "UnknownMethod", "DescribeAdapters"),
    ]

    private static func property(
        _ member: String, _ arguments: [DBusValue], _ error: String, _ mention: String
    ) -> MalformedCall {
        MalformedCall(
            .path("/org/listd/Listd1", "org.freedesktop.DBus.Properties"), member, arguments, error, mention)
    }

    // MARK: Options of adapters

    private static let adapterOptions: [MalformedCall] = {
        let values: [(String, [DBusValue])] = [
            (
                "source",
                [
                    .string(""), .string("jsonl:relative"), .string("jsonl:"), .string("a/b/c"), .string("Push"),
                    .uint32(1), .string("list:%4"), .string("list:%FF"), .string("list:stage?nope=1"),
                    .string("list:stage?limit=1&limit=2"), .string("list:stage?limit=-1"), .string("list:stage?sort="),
                    .string("list:stage?contains"), .string("list:stage?in=%zz"), .string("list:bad"),
                ]
            ),
            ("section-controllers", [.string("listd/single"), .options(["*": .string("listd/single")])]),
            ("layout", [.string("grid"), .string(""), .boolean(true)]),
            ("direction", [.string("up"), .int32(1)]), ("sticky-headers", [.string("yes"), .uint32(1)]),
            ("stretch-to-edge", [.string("no")]), ("show-header-when-empty", [.int64(0)]),
            ("top-content-inset", [.double(.nan), .double(.infinity), .boolean(true)]),
            ("sticky-header-offset", [.double(-.infinity), .string("1")]),
            ("working-range", [.int32(-1), .uint64(1 << 32), .string("2")]),
            ("updater", [.string("both"), .boolean(false)]),
            ("near-end-distance", [.double(.nan), .double(.infinity), .double(-.infinity), .double(-1), .int16(-1)]),
            ("invokers", [.string(""), .string("group:"), .string("others"), .boolean(true)]),
            (
                "hints",
                [
                    .string("bytes"), .options(["size": .string("bytes")]),
                    .dictionary(key: "s", value: "s", [.init(key: .string("size"), value: .string("byte"))]),
                    .dictionary(key: "s", value: "s", [.init(key: .string("size"), value: .string(""))]),
                ]
            ),
            ("reload-threshold", [.int64(-1)]), ("section-moves-as-deletes-inserts", [.string("true")]),
            ("prefer-item-reloads", [.uint32(0)]), ("minimal-moves", [.string("")]), ("coalesce-min", [.double(1)]),
            ("coalesce-max", [.int32(-1)]), ("coalesce-increment", [.string("1ms")]),
            ("durability", [.string("tape"), .string("Disk"), .uint32(0)]),
            ("empty", [.string(""), .array(element: "s", []), .options(["deep": .nested(33)])]),
            ("readers", [.string("group:"), .string("me"), .uint32(0)]), ("writers", [.string("nobody"), .string("")]),
            ("transient", [.uint32(1), .string("yes")]),
            ("no-such-option", [.string("x")]), ("Layout", [.string("flow")]), (" ", [.string("")]),
        ]
        let bad = values.flatMap { name, values in
            values.map { value in
                MalformedCall(
                    .manager, "CreateAdapter", [.string("bad"), .options([name: value])], "InvalidArgs", name)
            }
        }
        let controllers: [(String, String)] = [
            ("listd/nope", "NoSuchSectionController"), ("nope/Controller", "NoSuchPlugin"),
            ("noslash", "InvalidArgs"), ("", "InvalidArgs"),
        ]
        return bad
            + controllers.map { name, error in
                let entry = DBusValue.Entry(key: .string("row"), value: .string(name))
                let option = DBusValue.dictionary(key: "s", value: "s", [entry])
                return MalformedCall(
                    .manager, "CreateAdapter", [.string("bad"), .options(["section-controllers": option])], error)
            } + [
                MalformedCall(.manager, "CreateAdapter", [.string("stage"), .noOptions], "AdapterExists", "stage"),
                MalformedCall(
                    .manager, "CreateAdapter", [.string(String(repeating: "n", count: 256)), .noOptions], "InvalidArgs",
                    "name"),
                MalformedCall(
                    .manager, "CreateAdapter", [.string("bad"), .options(["source": .string("nope/x?y")])],
                    "NoSuchPlugin", "nope"),
            ]
    }()

    // MARK: Writing

    /// Returns the arguments of a call of `PerformUpdates`.
    private static func perform(
        _ rows: [DBusValue], _ options: [String: DBusValue] = [:], expecting revision: UInt64 = 0
    ) -> [DBusValue] {
        [.uint64(revision), .rows(rows), .options(options)]
    }

    private static let updates: [MalformedCall] = [
        MalformedCall(.adapter, "PerformUpdates", perform([.row("")]), "InvalidObject", "objects[0]", "empty"),
        MalformedCall(.adapter, "PerformUpdates", perform([.row("a"), .row("")]), "InvalidObject", "objects[1]"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([.row("a", "", ["deep": .nested(33)])]), "InvalidObject", "32"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([.row(String(repeating: "i", count: 4097))]), "PayloadTooLarge",
            "objects[0]", "4096"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([.row("a", String(repeating: "t", count: 4097))]), "PayloadTooLarge",
            "type"),
        MalformedCall(
            .adapter, "PerformUpdates",
            perform([.row("a", "", ["big": .string(String(repeating: "x", count: 8 << 20))])]), "PayloadTooLarge",
            "“a”"),
        MalformedCall(
            .adapter, "PerformUpdates",
            perform((0..<3).map { .row("\($0)", "", ["big": .string(String(repeating: "x", count: 6 << 20))]) }),
            "PayloadTooLarge", "payload"),
        MalformedCall(.adapter, "PerformUpdates", perform([], ["animated": .string("yes")]), "InvalidArgs", "animated"),
        MalformedCall(.adapter, "PerformUpdates", perform([], ["duplicates": .string("keep")]), "InvalidArgs", "keep"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([], ["duplicates": .boolean(true)]), "InvalidArgs", "duplicates"),
        MalformedCall(.adapter, "PerformUpdates", perform([], ["nope": .boolean(true)]), "InvalidArgs", "nope"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([.row("a"), .row("a")], ["duplicates": .string("fail")]),
            "DuplicateIdentifier", "“a”"),
        MalformedCall(.adapter, "PerformUpdates", perform([.row("a")], expecting: 99), "RevisionConflict", "99"),
        // These calls have several faults. Checks run in this order: options, ReadOnly, RevisionConflict, objects.
        MalformedCall(.adapter, "PerformUpdates", perform([.row("")], expecting: 99), "RevisionConflict", "99"),
        MalformedCall(
            .adapter, "PerformUpdates", perform([.row("")], ["nope": .byte(1)], expecting: 99), "InvalidArgs", "nope"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters/file", "org.listd.Listd1.Adapter"), "PerformUpdates",
            perform([.row("")], expecting: 99), "ReadOnly", "jsonl:"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters/file", "org.listd.Listd1.Adapter"), "ApplyChanges",
            [.uint64(0), .strings([]), .upserts([]), .noOptions], "ReadOnly", "jsonl:"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters/file", "org.listd.Listd1.Adapter"), "MoveObject",
            [.uint64(0), .string("a"), .string("first"), .string("")], "ReadOnly", "jsonl:"),
        MalformedCall(
            .path("/org/listd/Listd1/adapters/file", "org.listd.Listd1.Adapter"), "PatchObject",
            [.uint64(0), .string("a"), .noOptions, .strings([])], "ReadOnly", "jsonl:"),
    ]

    /// Returns the arguments of a call of `ApplyChanges`.
    private static func apply(
        _ upserts: [DBusValue], removed: [String] = [], options: [String: DBusValue] = [:], expecting: UInt64 = 0
    ) -> [DBusValue] {
        [.uint64(expecting), .strings(removed), .upserts(upserts), .options(options)]
    }

    private static let changes: [MalformedCall] = [
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("", "last")]), "InvalidObject", "upserts[0]"),
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("n", "middle")]), "InvalidArgs", "middle"),
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("n", "")]), "InvalidArgs", "position"),
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("n", "before", "nope")]), "NoSuchObject", "nope"),
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("n", "after", "")]), "NoSuchObject"),
        MalformedCall(
            .adapter, "ApplyChanges", apply([.upsert("n", "after", "one")], removed: ["one"]), "NoSuchObject", "one"),
        MalformedCall(.adapter, "ApplyChanges", apply([.upsert("n", "last", "", ["d": .nested(40)])]), "InvalidObject"),
        MalformedCall(
            .adapter, "ApplyChanges", apply([], options: ["duplicates": .string("fail")]), "InvalidArgs", "duplicates"),
        MalformedCall(
            .adapter, "ApplyChanges", apply([], options: ["animated": .uint32(1)]), "InvalidArgs", "animated"),
        MalformedCall(.adapter, "ApplyChanges", apply([], expecting: 77), "RevisionConflict", "77"),
        MalformedCall(
            .adapter, "MoveObject", [.uint64(0), .string("nope"), .string("first"), .string("")], "NoSuchObject", "nope"
        ),
        MalformedCall(
            .adapter, "MoveObject", [.uint64(0), .string("one"), .string("after"), .string("nope")], "NoSuchObject",
            "nope"),
        MalformedCall(
            .adapter, "MoveObject", [.uint64(0), .string("one"), .string("up"), .string("")], "InvalidArgs", "up"),
        MalformedCall(
            .adapter, "MoveObject", [.uint64(55), .string("one"), .string("up"), .string("")], "RevisionConflict", "55"),
        MalformedCall(
            .adapter, "PatchObject", [.uint64(0), .string("nope"), .noOptions, .strings([])], "NoSuchObject", "nope"),
        MalformedCall(
            .adapter, "PatchObject", [.uint64(0), .string("one"), .options(["d": .nested(33)]), .strings([])],
            "InvalidObject"),
        MalformedCall(
            .adapter, "PatchObject",
            [.uint64(44), .string("nope"), .options(["a": .byte(1)]), .strings(["b", "a"])], "InvalidArgs", "unset"),
        MalformedCall(
            .adapter, "PatchObject", [.uint64(44), .string("one"), .noOptions, .strings([])], "RevisionConflict", "44"),
    ]

    // MARK: Reading

    private static let reading: [MalformedCall] = [
        MalformedCall(.adapter, "FindObject", [.string("nope")], "NoSuchObject", "nope"),
        MalformedCall(.adapter, "FindObject", [.string("")], "NoSuchObject"),
        MalformedCall(.adapter, "GetChanges", [.string(""), .uint64(99)], "RevisionGone", "99"),
        MalformedCall(.adapter, "GetChanges", [.string(""), .uint64(.max)], "RevisionGone"),
        MalformedCall(.adapter, "GetChanges", [.string("other"), .uint64(0)], "RevisionGone", "other"),
        MalformedCall(.adapter, "GetChanges", [.string("other"), .uint64(99)], "RevisionGone", "epoch"),
        MalformedCall(
            .adapter, "GetObjectsByFileDescriptor", [.uint32(0), .uint32(1), .string("xml")], "InvalidArgs", "xml"),
        MalformedCall(
            .adapter, "GetObjectsByFileDescriptor", [.uint32(0), .uint32(1), .string("")], "InvalidArgs", "format"),
        MalformedCall(.adapter, "Subscribe", [.strings(["updates", "everything"])], "InvalidArgs", "everything"),
        MalformedCall(.adapter, "Unsubscribe", [.uint64(1 << 40)], "InvalidArgs", "subscription"),
        MalformedCall(.adapter, "Subscribe", [.strings([""])], "InvalidArgs", "events"),
    ]

    // MARK: Views

    private static let viewOptions: [MalformedCall] = {
        let values: [(String, [DBusValue])] = [
            ("layout", [.string("grid"), .uint32(0)]), ("window", [.int32(-1), .string("1")]),
            ("window-bytes", [.uint64(1 << 40)]), ("lead", [.boolean(true)]), ("trail", [.string("")]),
            ("working-range-unit", [.string("points"), .string(""), .uint32(1)]),
            ("buffer", [.double(.nan), .double(-1), .double(.infinity), .string("1")]),
            ("overscan-items", [.double(1)]),
            ("fields", [.string("a"), .array(element: "u", [.uint32(1)])]), ("anchor", [.string("yes")]),
            ("anchor-at-start", [.uint32(1)]), ("scale", [.double(-2), .string("2")]), ("nope", [.boolean(true)]),
            (
                "at",
                [
                    .string("one"), .structure([.string("one"), .uint32(0)]), at("one", 0, "top"), at("one", 0, ""),
                    .structure([.string("one"), .int32(0), .string("start")]),
                    .structure([.uint32(0), .string("one"), .string("start")]),
                    .structure([.string("one"), .double(.nan), .string("start")]), .array(element: "s", []),
                ]
            ),
        ]
        return values.flatMap { name, values in
            values.map { MalformedCall(.adapter, "OpenView", [.options([name: $0])], "InvalidArgs", name) }
        } + [
            MalformedCall(.adapter, "OpenView", [.options(["at": at("nope", 0, "none")])], "NoSuchObject", "nope"),
            MalformedCall(.adapter, "OpenView", [.options(["at": at("", 0, "none")])], "NoSuchObject"),
            MalformedCall(.adapter, "OpenView", [.options(["at": at("one", 1, "end")])], "NoSuchItem", "1"),
            MalformedCall(.adapter, "OpenView", [.options(["at": at("one", .max, "end")])], "NoSuchItem"),
            // When a call has several faults, the options are checked first.
            MalformedCall(
                .adapter, "OpenView", [.options(["at": at("nope", 0, "none"), "lead": .double(1)])], "InvalidArgs",
                "lead"),
        ]
    }()

    /// Returns a value of the option `at`.
    private static func at(_ id: String, _ item: UInt32, _ position: String) -> DBusValue {
        .structure([.string(id), .uint32(item), .string(position)])
    }

    /// Returns the arguments of a call of `SetVisibleRange`.
    private static func range(_ numbers: UInt32...) -> [DBusValue] { [.uint64(0)] + numbers.map { .uint32($0) } }

    /// Returns the arguments of a call of `SetViewport`.
    private static func viewport(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [DBusValue] {
        [.uint64(0), .double(x), .double(y), .double(width), .double(height)]
    }

    private static let viewing: [MalformedCall] = [
        MalformedCall(.view, "SetViewport", viewport(.nan, 0, 1, 1), "InvalidArgs", "x"),
        MalformedCall(.view, "SetViewport", viewport(0, .infinity, 1, 1), "InvalidArgs", "y"),
        MalformedCall(.view, "SetViewport", viewport(0, 0, .nan, 1), "InvalidArgs", "width"),
        MalformedCall(.view, "SetViewport", viewport(0, 0, -1, 1), "InvalidArgs", "width"),
        MalformedCall(.view, "SetViewport", viewport(0, 0, 1, -0.5), "InvalidArgs", "height"),
        MalformedCall(.view, "SetViewport", viewport(0, 0, 1, -.infinity), "InvalidArgs", "height"),
        MalformedCall(.view, "SetVisibleRange", range(0, 0, 1, 0), "InvalidArgs", "layout none"),
        MalformedCall(.rangeView, "SetVisibleRange", range(1, 0, 0, 0), "InvalidArgs", "before"),
        MalformedCall(.rangeView, "SetVisibleRange", range(0, 1, 0, 0), "InvalidArgs", "before"),
        MalformedCall(.rangeView, "SetVisibleRange", range(.max, .max, .max, 0), "InvalidArgs", "before"),
        MalformedCall(
            .rangeView, "SetVisibleRange", [.uint32(0), .uint32(0), .uint32(1), .uint32(0)], "InvalidArgs"),
        MalformedCall(.rangeView, "SetViewport", viewport(0, 0, 1, 1), "InvalidArgs", "layout none"),
        MalformedCall(.view, "ReportScroll", [.string("start")], "InvalidArgs", "start"),
        MalformedCall(.view, "ReportScroll", [.string("")], "InvalidArgs", "phase"),
        MalformedCall(.view, "ReportScroll", [.string("Began")], "InvalidArgs", "decelerated"),
        MalformedCall(
            .view, "ReportScroll", [.string(String(repeating: "b", count: 1 << 16))], "InvalidArgs", "bbbb"),
        MalformedCall(.view, "SetOnScreen", [.uint32(1)], "InvalidArgs"),
        MalformedCall(.view, "ScrollTo", [.string("one"), .uint32(0), .string("top")], "InvalidArgs", "top"),
        MalformedCall(.view, "ScrollTo", [.string("one"), .uint32(0), .string("")], "InvalidArgs", "position"),
        MalformedCall(.view, "ScrollTo", [.string("nope"), .uint32(0), .string("start")], "NoSuchObject", "nope"),
        MalformedCall(.view, "ScrollTo", [.string("one"), .uint32(9), .string("start")], "NoSuchItem", "9"),
        MalformedCall(.view, "Select", [.string("nope"), .uint32(0)], "NoSuchObject", "nope"),
        MalformedCall(.view, "Select", [.string("one"), .uint32(7)], "NoSuchItem", "7"),
        MalformedCall(.view, "Deselect", [.string("one"), .uint32(.max)], "NoSuchItem"),
        MalformedCall(.view, "ChangeSelection", [places(("one", 0), ("nope", 0)), places()], "NoSuchObject", "nope"),
        MalformedCall(.view, "ChangeSelection", [places(("one", 0)), places(("one", 7))], "NoSuchItem", "7"),
        MalformedCall(.view, "ChangeSelection", [places(("one", .max)), places()], "NoSuchItem"),
        MalformedCall(
            .view, "ChangeSelection", [places(("one", 0), ("two", 0)), places(("two", 0))], "InvalidArgs", "two"),
        MalformedCall(
            .view, "ChangeSelection", [places((String(repeating: "i", count: 4097), 0)), places()], "PayloadTooLarge",
            "4096"),
        MalformedCall(
            .view, "Invoke", [.string("nope"), .uint32(0), .string("a"), .noOptions], "NoSuchObject", "nope"),
        MalformedCall(.view, "Invoke", [.string("one"), .uint32(1), .string("a"), .noOptions], "NoSuchItem", "1"),
        MalformedCall(.view, "Invoke", [.string("one"), .uint32(.max), .string("a"), .noOptions], "NoSuchItem"),
        MalformedCall(
            .view, "Invoke", [.string("one"), .uint32(0), .string("a"), .options(["d": .nested(33)])], "InvalidObject"),
        MalformedCall(
            .view, "Invoke", [.string("one"), .uint32(0), .string(String(repeating: "a", count: 4097)), .noOptions],
            "PayloadTooLarge", "4096"),
        MalformedCall(
            .view, "Invoke",
            [
                .string("one"), .uint32(0), .string("a"),
                .options(["t": .string(String(repeating: "x", count: 16_000_000))]),
            ], "PayloadTooLarge", "parameters"),
        MalformedCall(.view, "SetHighlighted", [.string("nope"), .uint32(0), .boolean(true)], "NoSuchObject", "nope"),
        MalformedCall(.view, "MoveItem", [.uint32(9), .uint32(0), .uint32(0), .uint32(0)], "NoSuchItem"),
        MalformedCall(.view, "MoveItem", [.uint32(0), .uint32(0), .uint32(9), .uint32(0)], "NoSuchItem"),
        MalformedCall(.view, "ReportSizes", [size("one", .nan, 1)], "InvalidArgs", "one"),
        MalformedCall(.view, "ReportSizes", [size("one", 1, -1)], "InvalidArgs", "one"),
        MalformedCall(.view, "ReportSizes", [size("one", .infinity, 1)], "InvalidArgs", "one"),
    ]

    /// Returns an array of items for `ChangeSelection`.
    private static func places(_ places: (String, UInt32)...) -> DBusValue {
        .array(element: "(su)", places.map { .structure([.string($0.0), .uint32($0.1)]) })
    }

    /// Returns the argument of a call of `ReportSizes`.
    private static func size(_ id: String, _ width: Double, _ height: Double) -> DBusValue {
        .array(element: "(sudd)", [.structure([.string(id), .uint32(0), .double(width), .double(height)])])
    }

    // MARK: Plugins

    private static let plugins: [MalformedCall] = [
        MalformedCall(.manager, "LoadPlugin", [.string("nope")], "NoSuchPlugin", "nope"),
        MalformedCall(.manager, "LoadPlugin", [.string("")], "NoSuchPlugin"),
        MalformedCall(.manager, "UnloadPlugin", [.string("nope")], "NoSuchPlugin", "nope"),
        MalformedCall(.manager, "LoadPlugin", [.string("/etc/passwd")], "PluginRefused", "/etc/passwd"),
    ]
}
