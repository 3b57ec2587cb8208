// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import PluginAPI

/// Shows one entry of the journal in a row: `journal/EntryController`, and, smaller, `journal/DebugController`.
///
/// The reuse identifier is `entry` or `entry-compact`. The content has `title` (the message's first line), `detail`
/// (the origin), `age` (`now`, `3 min`, …), and `time`, `priority`, `unit` as in the object. Only a visible row has
/// a timer that updates its age.
final class EntryController: ListBindingSingleSectionController, ListDisplayDelegate {
    /// The size of an entry's row.
    enum Style {
        case row
        case compact
    }

    private let style: Style
    private let now: () -> Int64
    private var timer: ListTimer?

    init(style: Style, now: @escaping () -> Int64 = Age.now) {
        self.style = style
        self.now = now
        super.init()
        displayDelegate = self
    }

    override func item(for object: ListObject) -> ListItem {
        let entry = EntryFields(object)
        return ListItem(
            reuseIdentifier: style == .row ? "entry" : "entry-compact",
            content: entry.shared.merging([
                "title": .string(entry.firstLine), "detail": .string(entry.senderWithProcess),
                "age": .string(Age(of: entry.time, at: now()).text),
            ]))
    }

    override func size(for object: ListObject) -> Size {
        Size(width: context?.sectionContainerSize.width ?? 0, height: style == .row ? 44 : 24)
    }

    // MARK: Age

    func sectionControllerWillDisplay(_ controller: ListSectionController) { scheduleAgeUpdate() }

    func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {
        timer?.cancel()
        timer = nil
    }

    private func scheduleAgeUpdate() {
        guard let object else { return }
        let age = Age(of: EntryFields(object).time, at: now())
        timer = context?.after(age.untilChange) { [unowned self] in
            context?.performBatch(updates: { $0.reloadItems(at: [0]) })
            scheduleAgeUpdate()
        }
    }
}

/// Reads the fields that section controllers show from an entry's object.
struct EntryFields {
    private let fields: Fields

    init(_ object: ListObject) { fields = object.fields }

    private func text(_ key: String) -> String? { fields[key]?.string }

    /// The time of the entry, in microseconds since 1970.
    var time: Int64 { Int64(fields["time"]?.int ?? 0) }

    var message: String { text("message") ?? "" }

    /// The message's first line.
    var firstLine: String { String(message.prefix { !$0.isNewline }) }

    /// The origin of the message: the syslog identifier, else the command or the unit.
    var sender: String { text("identifier") ?? text("command") ?? text("unit") ?? "unknown" }

    /// The origin with its process, as syslog writes it.
    var senderWithProcess: String { text("pid").map { "\(sender)[\($0)]" } ?? sender }

    /// The unit that the entry is about, else the unit that wrote it.
    var unit: String? { text("about-unit") ?? text("unit") }

    /// The location in the source code, such as `main.c:17`.
    var place: String? {
        guard let file = text("code-file") else { return nil }
        return text("code-line").map { "\(file):\($0)" } ?? file
    }

    /// The field MESSAGE_ID, under which the message catalog may have an explanation.
    var messageID: String? { text("message-id") }

    /// The values of the `@NAME@` placeholders in the message catalog's explanations.
    var catalogValues: [String: String] {
        [
            "UNIT": unit, "_SYSTEMD_UNIT": text("unit"), "_PID": text("pid"), "_COMM": text("command"),
            "_HOSTNAME": text("host"), "MESSAGE": message,
        ].compactMapValues { $0 }
    }

    /// The fields that every item of an entry has.
    var shared: Fields {
        var content: Fields = [:]
        for key in ["time", "priority", "unit"] { content[key] = fields[key] }
        return content
    }
}

/// The time since an entry was written, as text for people.
struct Age: Equatable {
    /// The age in whole seconds, at least zero.
    let seconds: UInt64

    /// Computes the age of `time` at the moment `now`, both in microseconds since 1970.
    init(of time: Int64, at now: Int64) {
        let (difference, overflow) = now.subtractingReportingOverflow(time)
        seconds = overflow || difference < 0 ? 0 : UInt64(difference) / 1_000_000
    }

    /// The age as text: `now`, `3 min`, `2 h`, `5 d`.
    var text: String {
        switch seconds {
        case ..<60: "now"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// The time until the text changes.
    var untilChange: Duration {
        let unit: UInt64 = seconds < 3600 ? 60 : seconds < 86_400 ? 3600 : 86_400
        return .seconds(Int64(unit - seconds % unit))
    }

    /// Returns the present time, in microseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        // The time is a local variable.
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// systemd's journal as a list: the data source `journal/entries` and section controllers by priority.
enum JournalPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        PluginManifest(
            name: "journal", version: "1.0.0",
            sectionControllers: [
                .controller("EntryController") { EntryController(style: .row) },
                .controller("AlertController") { AlertController() },
                .controller("DebugController") { EntryController(style: .compact) },
            ],
            dataSources: [
                .source("entries", hints: JournalEntry.hints) { context in try JournalSource(context) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(JournalPlugin.self, to: call) }
