// SPDX-License-Identifier: Apache-2.0

internal import CJournal
internal import Glibc

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
