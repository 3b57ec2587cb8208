// SPDX-License-Identifier: Apache-2.0

internal import CJournal
internal import Glibc
internal import PluginAPI

/// A call of libsystemd or of the system that failed.
struct JournalError: Error, CustomStringConvertible, Equatable {
    /// The path or the operation that failed.
    var subject: String
    /// The error number.
    var code: Int32

    var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The buffer has the passed length, and ends with NUL if the call succeeds.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "\(subject): error \(code)" }
        return "\(subject): \(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}

/// An open journal. All calls of libsystemd's journal functions, except those for the message catalog, are here.
///
/// One executor owns it. The read position is between two entries; ``next()`` moves it towards the newest.
@safe final class Journal {
    /// The result of ``process()``.
    enum Change: Equatable {
        /// No changes.
        case none
        /// There are new entries.
        case appended
        /// Files were added or removed: entries that were read may be gone, and older ones may have appeared.
        case invalidated
    }

    // Owned by this object: made by its initializer, closed by its deinitializer, never passed on.
    private let handle: OpaquePointer
    private let subject: String

    /// Opens the journal of a query and begins to watch it.
    init(_ query: JournalQuery) throws(JournalError) {
        subject = query.directory ?? "the system's journal"
        var opened: OpaquePointer?
        // The path outlives the call; the handle is a local variable until it is checked.
        let result =
            if let directory = query.directory {
                unsafe sd_journal_open_directory(&opened, directory, 0)
            } else {
                unsafe sd_journal_open(&opened, CInt(SD_JOURNAL_LOCAL_ONLY))
            }
        guard result >= 0, let opened = unsafe opened else { throw JournalError(subject: subject, code: -result) }
        unsafe handle = opened
        // Longer field values are truncated, as a message may contain a whole file.
        unsafe sd_journal_set_data_threshold(opened, 64 << 10)
        for step in query.filter { try add(step) }
        // This starts the inotify watches, so that entries written during the first read are not lost.
        try check(unsafe sd_journal_get_fd(handle))
    }

    deinit { unsafe sd_journal_close(handle) }

    private func add(_ step: JournalQuery.FilterStep) throws(JournalError) {
        switch step {
        case .match(let match):
            // The bytes outlive the call, which copies them.
            try check(unsafe sd_journal_add_match(handle, match, match.utf8.count))
        case .or: try check(unsafe sd_journal_add_disjunction(handle))
        case .and: try check(unsafe sd_journal_add_conjunction(handle))
        }
    }

    /// Returns a result of libsystemd, or throws the error that it stands for.
    @discardableResult
    private func check(_ result: CInt) throws(JournalError) -> CInt {
        guard result >= 0 else { throw JournalError(subject: subject, code: -result) }
        return result
    }

    // MARK: Watching

    /// Creates a descriptor that becomes readable when ``process()`` has to be called. The caller owns and closes
    /// it.
    func makeDescriptor() throws(JournalError) -> Int32 {
        // libsystemd closes its own descriptor, so this is a duplicate.
        let copy = fcntl(try check(unsafe sd_journal_get_fd(handle)), F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw JournalError(subject: subject, code: errno) }
        return copy
    }

    /// Whether the descriptor reports every change; on some network file systems the files have to be polled.
    var isDescriptorReliable: Bool { unsafe sd_journal_reliable_fd(handle) > 0 }

    /// Processes changes of the journal's files, and returns what has changed.
    func process() throws(JournalError) -> Change {
        let result = try check(unsafe sd_journal_process(handle))
        return switch result {
        case CInt(SD_JOURNAL_APPEND): .appended
        case CInt(SD_JOURNAL_INVALIDATE): .invalidated
        default: .none
        }
    }

    /// Whether the system's journal has any file that this process may read.
    var hasSystemFiles: Bool {
        unsafe sd_journal_has_persistent_files(handle) > 0 || sd_journal_has_runtime_files(handle) > 0
    }

    // MARK: Reading

    /// Moves the read position so that ``next()`` returns the newest entries, at most `count`.
    func seek(beforeNewest count: Int) throws(JournalError) {
        try check(unsafe sd_journal_seek_tail(handle))
        // One more entry back, as `next` continues after the current entry.
        let steps = try check(unsafe sd_journal_previous_skip(handle, UInt64(clamping: count) + 1))
        if Int(steps) <= count { try check(unsafe sd_journal_seek_head(handle)) }
    }

    /// Returns the identifiers of a list's entries, the oldest first, or `nil` if the journal no longer has exactly
    /// these entries in a row. Moves the read position to the newest of them, so that ``next()`` returns the entry
    /// after it. Reads only the identifiers of the entries.
    ///
    /// - Complexity: O(entries)
    func identifiers(of place: JournalPlace) throws(JournalError) -> [String]? {
        // The text outlives both calls. A text that is no cursor, as from another version of systemd, counts as a
        // missing entry.
        guard unsafe sd_journal_seek_cursor(handle, place.oldest) >= 0,
            try check(unsafe sd_journal_next(handle)) > 0,
            try check(unsafe sd_journal_test_cursor(handle, place.oldest)) > 0
        else { return nil }
        var ids = [place.oldest]
        while ids.count < place.count, try check(unsafe sd_journal_next(handle)) > 0 { ids.append(try cursor()) }
        return ids.count == place.count && ids.last == place.newest ? ids : nil
    }

    /// Returns the next entry towards the newest, or `nil` if there is none yet.
    func next() throws(JournalError) -> JournalEntry? {
        guard try check(unsafe sd_journal_next(handle)) > 0 else { return nil }
        var time: UInt64 = 0
        try check(unsafe sd_journal_get_realtime_usec(handle, &time))
        var fields: [String: String] = [:]
        for (field, _) in JournalEntry.shownFields { fields[field] = try text(of: field) }
        return JournalEntry(cursor: try cursor(), time: time, fields: fields)
    }

    private func cursor() throws(JournalError) -> String {
        var text: UnsafeMutablePointer<CChar>?
        try check(unsafe sd_journal_get_cursor(handle, &text))
        // libsystemd allocates it for the caller.
        defer { unsafe free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// Returns the text of a field, or `nil` if the entry has no such field or the field cannot be read.
    private func text(of field: String) throws(JournalError) -> String? {
        var data: UnsafeRawPointer?
        var length = 0
        let result = unsafe sd_journal_get_data(handle, field, &data, &length)
        // A missing field, or one with a compression that this libsystemd does not support, does not prevent
        // reading the rest of the entry.
        guard result >= 0, let data = unsafe data else { return nil }
        // The bytes are valid until the next call on this journal, so they are copied here.
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: length).dropFirst(field.utf8.count + 1)
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        // A string on a bus must not contain NUL.
        return text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
    }
}

/// One entry of the journal, with the fields that a list shows.
struct JournalEntry: Equatable, Sendable {
    /// The entry's cursor, with which `journalctl --cursor` finds it again.
    var cursor: String
    /// The time of the entry, in microseconds since 1970.
    var time: UInt64
    /// The fields of the entry that are among ``shownFields``, by the journal's names.
    var fields: [String: String]

    /// The journal fields that are read, and their names in an object.
    static let shownFields: [(field: String, key: String)] = [
        ("MESSAGE", "message"), ("SYSLOG_IDENTIFIER", "identifier"), ("_SYSTEMD_UNIT", "unit"), ("UNIT", "about-unit"),
        ("_PID", "pid"), ("_COMM", "command"), ("_HOSTNAME", "host"), ("CODE_FILE", "code-file"),
        ("CODE_LINE", "code-line"), ("CODE_FUNC", "code-function"), ("MESSAGE_ID", "message-id"),
        ("PRIORITY", "priority"),
    ]

    /// Hints for viewers on how to format the fields.
    static let hints: [String: FieldHint] = ["time": .timeInMicroseconds]

    /// The priority of the entry; `info` if it has none.
    var priority: JournalPriority { fields["PRIORITY"].flatMap(JournalPriority.init) ?? .info }

    /// Returns the entry as an object of a list. The object's type is the name of the priority.
    func object() throws(ListError) -> ListObject {
        var values: [String: Value] = [
            "time": .int64(Int64(clamping: time)), "priority": .uint32(UInt32(priority.rawValue)),
        ]
        for (field, key) in Self.shownFields where key != "priority" {
            if let text = fields[field] { values[key] = .string(text) }
        }
        return try ListObject(id: cursor, type: priority.name, fields: try Fields(values))
    }
}

/// The priority of a message, as in syslog. The raw value is syslog's number; 0 is the most important.
enum JournalPriority: Int, CaseIterable, Sendable {
    case emergency, alert, critical, error, warning, notice, info, debug

    /// The name that journalctl and syslog.h use.
    var name: String {
        switch self {
        case .emergency: "emerg"
        case .alert: "alert"
        case .critical: "crit"
        case .error: "err"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// Parses a name or a number.
    init?(_ text: String) {
        let number = Int(text)
        guard let priority = Self.allCases.first(where: { $0.name == text || $0.rawValue == number }) else {
            return nil
        }
        self = priority
    }
}

/// An explanation from systemd's message catalog (`journalctl --catalog`). Its key is the field MESSAGE_ID
/// (systemd.journal-fields(7)).
struct MessageCatalog: Equatable, Sendable {
    /// The subject, in a few words.
    var subject: String
    /// The explanation. `@NAME@` is a placeholder for a field of the journal entry.
    var text: String

    /// Parses an entry of the catalog: header lines, an empty line, the explanation.
    init(entry: String) {
        let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
        let header = lines.prefix { !$0.isEmpty }
        let name = "Subject: "
        subject = header.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
        var body = lines.dropFirst(header.count)
        while body.first?.isEmpty == true { body.removeFirst() }
        while body.last?.isEmpty == true { body.removeLast() }
        text = body.joined(separator: "\n")
    }

    /// Looks up a message identifier in the catalog; blocks on the disk.
    ///
    /// - Returns: `nil` for a message identifier that is invalid or not in the catalog.
    static func find(_ messageID: String) -> MessageCatalog? {
        var id = sd_id128_t()
        // The text outlives the call; the identifier is a local variable.
        guard unsafe sd_id128_from_string(messageID, &id) >= 0 else { return nil }
        var entry: UnsafeMutablePointer<CChar>?
        guard unsafe sd_journal_get_catalog_for_message_id(id, &entry) >= 0, let entry = unsafe entry else {
            return nil
        }
        // libsystemd allocates it for the caller.
        defer { unsafe free(entry) }
        return unsafe MessageCatalog(entry: String(cString: entry))
    }

    /// Returns the explanation with the placeholders replaced whose values are known.
    func replacingPlaceholders(with values: [String: String]) -> MessageCatalog {
        var filled = self
        for (name, value) in values {
            filled.subject = filled.subject.replacing("@\(name)@", with: value)
            filled.text = filled.text.replacing("@\(name)@", with: value)
        }
        return filled
    }
}
