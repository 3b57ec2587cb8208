// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import ListSupport
package import PluginAPI
internal import Synchronization

/// A source, which fills a list in place of clients: a file that is followed, or a data source of a plugin.
///
/// A source runs on its own executor and sends events to the sink with which it was created.
package protocol Source: Sendable {
    /// Hints about how to display fields of the source's objects.
    var hints: [String: FieldHint] { get }

    /// Begins to read; called once.
    ///
    /// - Parameter place: called each time that the source begins to run. Returns the cursor from which the source
    ///   continues; nil = the source starts from the beginning.
    func start(from place: @escaping @Sendable () -> [UInt8]?)

    /// Changes the limits. Anything that was refused as too large is read again.
    func setLimits(_ limits: ObjectLimits, fileBytes: Int)

    /// Sends everything again from the beginning. Called when something that the source sent was refused as too large
    /// and might be accepted now.
    func renew()

    /// Whether clients may write to the list of this source.
    var acceptsWrites: Bool { get }

    /// Performs a write of a client. The source answers with ``SourceEvent/written(_:_:)``, in order with its other
    /// events.
    ///
    /// - Parameter refuse: called instead of an answer when the request does not reach the source; on any thread.
    func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void)

    /// Ends reading. A second call only calls `completion`.
    ///
    /// - Parameter completion: called on the source's executor after the last call of the sink.
    func stop(completion: @escaping @Sendable () -> Void)
}

extension Source {
    /// No hints, as for a file.
    package var hints: [String: FieldHint] { [:] }

    /// Does nothing, as objects of a plugin are checked against the limits when they arrive.
    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {}

    /// Does nothing, as a source that checks the limits while reading sends nothing that is refused.
    package func renew() {}

    /// `false`, as most sources are read-only.
    package var acceptsWrites: Bool { false }

    /// Refuses the write, as the source does not accept writes.
    package func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        refuse(ListError(.readOnly, "the source does not accept writes"))
    }

    /// Begins to read from the beginning.
    package func start() { start { nil } }
}

/// An event that a source sends to its list.
///
/// The list is `loading` until the first event. After ``failed(_:)``, the list is `failed` until ``replace(_:)``,
/// ``changes(removed:upserts:)``, ``replacementEnded`` or ``ready``. These events do not end a fault.
package enum SourceEvent: Sendable {
    /// The whole list. The engine computes the changes.
    case replace([ListObject])
    /// Removed identifiers, of which unknown ones are ignored; then new or changed objects, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read at present. The list keeps its objects.
    case failed(ListError)
    /// A part of the source cannot be read, and the list has the rest; nil if all of it can be read. The fault lasts
    /// until the next event of this case.
    case fault(ListError?)
    /// The source can be read again, and nothing has changed since it failed.
    case ready
    /// The process of the source is being restarted. The list keeps its objects.
    case paused
    /// The whole list follows in pages.
    case replacementBegan
    /// The next page of the whole list.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are complete: they are the whole list.
    case replacementEnded
    /// The pages since ``replacementBegan`` are incomplete and must be discarded.
    case replacementAbandoned
    /// An event, and the progress of the source after it. Both are stored in one transaction.
    indirect case upTo(DataSourceProgress, SourceEvent)
    /// The outcome of a write; nil for success. The changes of a successful write are in earlier events.
    case written(DataSourceWrite.ID, ListError?)
}

/// A function that handles the events of a source, in order, on the source's executor. While it blocks, the source
/// waits.
package typealias SourceSink = @Sendable (SourceEvent) -> Void

/// A kind of source that is part of listd: its name in the option `source`, and how an instance is created.
///
/// The option's value is the scheme, a colon and the argument, as in `jsonl:/PATH`.
package struct BuiltInSource: Sendable {
    /// The parameters with which a source is created.
    package struct Context: Sendable {
        let limits: ObjectLimits
        /// The maximum size in bytes of a file that the source reads.
        let fileBytes: Int
        /// The identifiers of objects without one.
        let identify: Identify
        /// The receiver of the source's events.
        let sink: SourceSink

        package init(
            limits: ObjectLimits, fileBytes: Int, identify: Identify = .none, sink: @escaping SourceSink
        ) {
            self.limits = limits
            self.fileBytes = fileBytes
            self.identify = identify
            self.sink = sink
        }
    }

    /// All built-in sources. `push`, other lists and plugins are not built-in sources.
    package static let all: [BuiltInSource] = [.jsonLines]

    /// The text before the colon.
    package let scheme: String
    /// The form of the option for messages, such as `jsonl:/PATH`.
    package let form: String
    /// Returns whether a text is a valid argument, that is, the text after the colon.
    package let accepts: @Sendable (String) -> Bool
    /// Creates a source. The argument must be valid according to ``accepts``.
    let make: @Sendable (_ argument: String, Context) throws(ListError) -> any Source

    /// Creates a source without starting it.
    ///
    /// - Parameter argument: an argument that is valid according to ``accepts``.
    /// - Throws: `limitsExceeded` when there is no memory.
    package func makeSource(_ argument: String, _ context: Context) throws(ListError) -> any Source {
        try make(argument, context)
    }
}

extension BuiltInSource: Hashable {
    package static func == (one: BuiltInSource, other: BuiltInSource) -> Bool { one.scheme == other.scheme }

    package func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}

/// A record of how far the source of a list has read. It matches the contents of the list, is stored with the list,
/// and is kept across restarts of listd.
package struct SourceRecord: Sendable, Equatable {
    /// The cursor from which the source continues; nil if it begins again from the start.
    package private(set) var cursor: [UInt8]?
    /// The position of the source as text; empty if it has reported none.
    package var position = ""
    /// The time when the list was last known to contain the whole source, in microseconds since 1970; 0 for never.
    package var synced: UInt64 = 0

    /// Creates a record, which is empty by default.
    package init(cursor: [UInt8]? = nil, position: String = "", synced: UInt64 = 0) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// Removes the cursor, so that the source begins from the start when it runs again.
    package mutating func removeCursor() { cursor = nil }

    /// Returns the record after an event.
    ///
    /// - Parameters:
    ///   - progress: the progress that the source reported; nil if it reported none.
    ///   - isWhole: whether the event replaces the whole list, so that an earlier cursor is useless.
    ///   - now: the time of the event, in microseconds since 1970.
    package func after(_ progress: DataSourceProgress?, isWhole: Bool, now: UInt64) -> SourceRecord {
        var next = self
        next.cursor = progress?.cursor ?? (isWhole ? nil : cursor)
        next.position = progress?.position ?? (isWhole ? "" : position)
        next.synced = progress?.synced ?? now
        return next
    }
}

// MARK: - Stored form

extension SourceRecord {
    private static let version: UInt8 = 1

    /// The record in its stored form: the version; `synced` as 64 bits and the length of the position as 32 bits,
    /// both little-endian; the position; then 1 and the cursor, or 0 without a cursor.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        func append(_ number: UInt64, bytes count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
        }
        append(synced, bytes: 8)
        append(UInt64(position.utf8.count), bytes: 4)
        bytes += position.utf8
        bytes.append(cursor == nil ? 0 : 1)
        return bytes + (cursor ?? [])
    }

    /// Reads a stored record. Returns nil for bytes that this version of listd cannot have written, so that the
    /// source begins from the start.
    package init?(bytes: [UInt8]) {
        func number(at start: Int, bytes count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
        guard bytes.count >= 14, bytes[0] == Self.version else { return nil }
        synced = number(at: 1, bytes: 8)
        let end = 13 + Int(number(at: 9, bytes: 4))
        guard end < bytes.count, let text = String(validating: bytes[13..<end], as: UTF8.self) else { return nil }
        position = text
        switch bytes[end] {
        case 0 where bytes.count == end + 1: cursor = nil
        case 1: cursor = Array(bytes[(end + 1)...])
        default: return nil
        }
    }
}

/// A thread-safe record of how far the source of a list has read, up to the last announced change. The bus thread
/// writes the record, and the source reads it when it starts.
package final class SourceState: Sendable {
    private let state: Mutex<SourceRecord>

    /// Creates the state of a list whose contents match `record`.
    package init(_ record: SourceRecord = SourceRecord()) {
        state = Mutex(record)
    }

    /// The latest record.
    package var record: SourceRecord {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The cursor from which the source continues when it starts.
    package var cursor: [UInt8]? { record.cursor }

    /// Removes the cursor, so that the source begins from the start. Called when the list lacks something that the
    /// source sent.
    package func forgetCursor() { state.withLock { $0.removeCursor() } }
}

/// The pages of a whole list that have arrived so far.
///
/// A source sends one page at a time, so that memory holds the objects that have arrived and one more page.
package struct ReplacementPages {
    /// The maximum size of a whole list in bytes, whatever the limits of its owner.
    static let greatestBytes = 1 << 30

    /// The objects that have arrived, in order.
    package private(set) var objects: [ListObject] = []
    private var byteCount = 0

    /// Adds a page.
    ///
    /// - Parameter room: the maximum size of the list.
    /// - Throws: `limitsExceeded` when the list would exceed `room`. The page is then not added.
    package mutating func append(_ page: [ListObject], within room: Quotas.Amounts) throws(ListError) {
        byteCount += page.reduce(0) { $0 + $1.byteCount }
        let count = objects.count + page.count
        guard count <= room.objects else {
            throw LimitKey.objectsPerUser.refusal(.limitsExceeded, "the list has more than \(room.objects) objects")
        }
        guard byteCount <= room.bytes else {
            throw LimitKey.bytesPerUser.refusal(.limitsExceeded, "the list has more than \(room.bytes) bytes")
        }
        guard byteCount <= Self.greatestBytes else {
            throw ListError(.limitsExceeded, "the list has more than \(Self.greatestBytes) bytes")
        }
        objects += page
    }

    /// Creates pages from the objects that have arrived.
    package init(objects: [ListObject] = []) {
        self.objects = objects
    }
}

extension SourceEvent {
    /// Splits the event into equivalent events, each with not much more than the given number of bytes in objects.
    ///
    /// Only whole lists and their pages can be split; changes of a list must be sent in one piece.
    package func parts(ofBytes most: Int) -> [SourceEvent] {
        switch self {
        case .replace(let objects):
            return Self.wholeList(objects, pageBytes: most, endingWith: .replacementEnded) ?? [self]
        case .upTo(let progress, .replace(let objects)):
            return Self.wholeList(objects, pageBytes: most, endingWith: .upTo(progress, .replacementEnded)) ?? [self]
        case .page(let objects): return Self.pages(of: objects, bytes: most)
        case .changes, .failed, .fault, .ready, .paused, .replacementBegan, .replacementEnded, .replacementAbandoned,
            .upTo, .written:
            return [self]
        }
    }

    /// Returns a whole list in pages; nil when it fits into one page.
    private static func wholeList(_ objects: [ListObject], pageBytes: Int, endingWith end: SourceEvent)
        -> [SourceEvent]?
    {
        let pages = pages(of: objects, bytes: pageBytes)
        return pages.count > 1 ? [.replacementBegan] + pages + [end] : nil
    }

    private static func pages(of objects: [ListObject], bytes pageBytes: Int) -> [SourceEvent] {
        var pages: [SourceEvent] = []
        var (start, bytes) = (0, 0)
        for index in objects.indices {
            bytes += objects[index].byteCount
            guard bytes >= pageBytes else { continue }
            pages.append(.page(Array(objects[start...index])))
            (start, bytes) = (index + 1, 0)
        }
        if start < objects.count || pages.isEmpty { pages.append(.page(Array(objects[start...]))) }
        return pages
    }
}
