// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import Testing

@testable import listctl

@Suite("Fields formatted for people by their hints")
struct FieldHintTests {
    @Test(
        "a number has a hint → its text is formatted",
        arguments: [
            (.bytes, .int64(0), "0 B"), (.bytes, .int64(999), "999 B"), (.bytes, .int64(1023), "1 KiB"),
            (.bytes, .uint64(68_600), "67 KiB"), (.bytes, .int64(1536), "1.5 KiB"), (.bytes, .uint64(.max), "16 EiB"),
            (.bytes, .int64(-2048), "-2 KiB"),
            (.permissions, .int64(0o644), "-rw-r--r--"), (.permissions, .int64(0o40755), "drwxr-xr-x"),
            (.permissions, .uint32(0o104755), "-rwsr-xr-x"), (.permissions, .uint32(0o101000), "---------T"),
            (.percent, .double(12.34), "12.3 %"), (.percent, .int64(50), "50 %"),
            (.durationInMicroseconds, .int64(350), "350 µs"),
            (.durationInMicroseconds, .int64(350_000), "350 ms"),
            (.durationInMicroseconds, .int64(1_200_000), "1.2 s"),
            (.durationInMicroseconds, .int64(200_000_000), "3 min 20 s"),
            (.durationInMicroseconds, .int64(7_500_000_000), "2 h 5 min"),
            (.durationInMicroseconds, .int64(86_400_000_000), "1 d"),
            (.userID, .uint32(0), "root"), (.groupID, .uint32(0), "root"),
            (.userID, .uint32(4_000_000_000), "4000000000"),
        ] as [(FieldHint, DBusValue, String)])
    func numbers(hint: FieldHint, value: DBusValue, text: String) {
        #expect(hint.text(of: value) == text)
    }

    @Test("a field is a time → its text has the date and the minute in the user's time zone")
    func times() {
        let seconds: Int64 = 1_663_694_040
        let format = DateFormatter()
        format.dateFormat = "yyyy-MM-dd HH:mm"
        format.locale = Locale(identifier: "en_US_POSIX")
        let expected = format.string(from: Date(timeIntervalSince1970: Double(seconds)))
        #expect(FieldHint.timeInSeconds.text(of: .int64(seconds)) == expected)
        #expect(FieldHint.timeInMicroseconds.text(of: .int64(seconds * 1_000_000)) == expected)
    }

    @Test(
        "a value does not fit its hint → it is not formatted",
        arguments: [DBusValue.string("5"), .double(.nan), .double(.infinity), .boolean(true), .array(element: "v", [])])
    func unfit(value: DBusValue) {
        for hint in FieldHint.allCases { #expect(hint.text(of: value) == nil) }
    }

    @Test("numbers are extreme → they are formatted without a crash")
    func extremes() {
        for hint in FieldHint.allCases {
            for value in [DBusValue.int64(.min), .int64(.max), .uint64(.max), .double(1e300), .double(-1e300)] {
                _ = hint.text(of: value)
            }
        }
        #expect(FieldHint.timeInSeconds.text(of: .double(1e300)) == nil)
    }

    @Test("fields are nested → they become columns with dotted names")
    func nested() {
        let inner = DBusValue.options(["name": .string("ada")])
        let content = Content([
            (key: "owner", value: inner), (key: "size", value: .int64(2048)), (key: "tags", value: .strings(["a"])),
        ])
        let texts = FieldTexts(hints: ["size": .bytes]).texts(of: content)
        #expect(texts.map(\.name) == ["owner.name", "size", "tags"])
        #expect(texts.map(\.text) == ["ada", "2 KiB", #"["a"]"#])
    }

    @Test("a table is wider than the terminal → the last columns are omitted, and their names are known")
    func narrow() {
        let rows = [
            ContentTable.ContentRow(
                leading: ["id1"],
                content: ["a": .string("x"), "b": .string("yyyyyyyyyyyyyyyyyyyy"), "title": .string("T")])
        ]
        let leading = [TextTable.Column(title: "ID")]
        let narrow = ContentTable(
            leading: leading, sample: rows, chosen: nil, texts: FieldTexts(hints: [:]),
            style: TextStyle(isColored: false, columns: 20))
        #expect(narrow.heading == "ID   TITLE  A")
        #expect(narrow.line(rows[0]) == "id1  T      x")
        #expect(narrow.hiddenFields == ["b"])
        let wide = ContentTable(
            leading: leading, sample: rows, chosen: nil, texts: FieldTexts(hints: [:]),
            style: TextStyle(isColored: false, columns: nil))
        #expect(wide.line(rows[0]) == "id1  T      x  yyyyyyyyyyyyyyyyyyyy")
        #expect(wide.hiddenFields.isEmpty)
    }

    @Test("a terminal is too narrow for a column → a column of text is truncated; a column of numbers is omitted")
    func numbers() {
        let columns: [TextTable.Column] = [.init(title: "NAME"), .init(title: "SIZE", isNumber: true)]
        let heading = { (width: Int, columns: [TextTable.Column], row: [String]) in
            let table = TextTable(columns, for: [row], style: TextStyle(isColored: false, columns: width))
            return [table.heading, table.line(row)]
        }
        #expect(heading(16, columns, ["mail", "1234567890"]) == ["NAME        SIZE", "mail  1234567890"])
        #expect(heading(15, columns, ["mail", "1234567890"]) == ["NAME", "mail"])
        let texts: [TextTable.Column] = [.init(title: "NAME"), .init(title: "SOURCE")]
        #expect(heading(15, texts, ["mail", "jsonl:/var/mail"]) == ["NAME  SOURCE", "mail  jsonl:/v…"])
        #expect(heading(13, texts, ["mail", "jsonl:/var/mail"]) == ["NAME", "mail"])
        #expect(heading(3, texts, ["mail", "x"]) == ["NA…", "ma…"])
    }

    @Test("a field equals each object's id or type → omitted on a terminal; fields with hints → before other fields")
    func repeated() {
        let rows = ["a", "b"].map { id in
            ContentTable.ContentRow(
                leading: [id, "file"],
                content: [
                    "name": .string(id), "kind": .string("file"), "extra": .string("x"), "mode": .int64(0o40755),
                    "size": .int64(2048),
                ])
        }
        let heading = { (columns: Int?, isWhole: Bool) in
            ContentTable(
                leading: [.init(title: "ID"), .init(title: "TYPE")], sample: rows, isWhole: isWhole, chosen: nil,
                texts: FieldTexts(hints: ["mode": .permissions, "size": .bytes]),
                style: TextStyle(isColored: false, columns: columns)
            ).heading
        }
        #expect(heading(3, true) == "ID")
        #expect(heading(80, true) == "ID  TYPE  MODE         SIZE  EXTRA")
        #expect(heading(80, false) == "ID  TYPE  NAME  MODE         SIZE  EXTRA  KIND")
        #expect(heading(nil, true) == "ID  TYPE  NAME  MODE         SIZE  EXTRA  KIND")
    }

    @Test("counters are printed for Prometheus → each family has help and type, and plugins are labels")
    func prometheus() {
        let text = PrometheusText(["adapters": 2, "calls": 7, "loop-turn-p99": 1500, "plugin-a-b-calls": 3]).text
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# HELP") }
        #expect(
            lines == [
                "# TYPE listd_calls_total counter", "listd_calls_total 7", "# TYPE listd_lists gauge", "listd_lists 2",
                "# TYPE listd_loop_turn_p99_seconds gauge", "listd_loop_turn_p99_seconds 0.0015",
                "# TYPE listd_plugin_calls_total counter", "listd_plugin_calls_total{plugin=\"a-b\"} 3",
            ])
    }
}
