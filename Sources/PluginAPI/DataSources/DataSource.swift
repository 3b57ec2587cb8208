// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) public import ListKit

/// A data source, which fills a list from outside, such as from a directory, a device or a service.
///
/// listd makes a data source for each list whose option `source` is `PLUGIN/SOURCE?argument`. All methods of the
/// source, and all callbacks that it starts through its ``DataSourceContext``, run one after the other on the
/// source's own executor. So no locks are needed, and a source that blocks does not block other lists.
///
/// ```swift
/// final class LoadAverage: DataSource {
///     private let context: DataSourceContext
///     init(_ context: DataSourceContext) { self.context = context }
///
///     func start() {
///         context.poll(every: .seconds(1)) { [try ListObject(id: "load", type: "load", fields: readLoad())] }
///     }
/// }
/// ```
public protocol DataSource: AnyObject {
    /// Begins to read; called once.
    ///
    /// - Throws: The error that prevents the source from reading at all. The list's state becomes `failed` with the
    ///   error's text. A source that can recover reports ``DataSourceSink/failed(_:)`` instead, and continues.
    func start() throws

    /// Ends reading; called at most once, and no other call follows.
    ///
    /// Timers and descriptors of the context are already cancelled, and events sent to the sink are dropped. So close
    /// only the resources that the source opened by itself.
    func stop()
}

extension DataSource {
    /// Does nothing.
    public func stop() {}
}

/// A data source that accepts clients' writes to its list.
///
/// A write goes to the source instead of the list. The source carries it out, sends the resulting changes, and then
/// answers with ``DataSourceSink/wrote(_:)``. So the client is answered with a revision that contains its write, and
/// the list never has objects that the source does not have.
///
/// ```swift
/// func write(_ write: DataSourceWrite) throws {
///     guard case .changes(let removed, let upserts) = write.operation else { throw DataSourceWrite.unsupported }
///     let version = try database.write(removed, upserts, ifStill: write.isConditional ? write.cursor : nil)
///     context.sink.changes(removed: removed, upserts: upserts, upTo: DataSourceProgress(cursor: version))
///     context.sink.wrote(write.id)
/// }
/// ```
public protocol WritableDataSource: DataSource {
    /// Whether lists of this source accept writes; read once, after the source was made. True by default.
    var acceptsWrites: Bool { get }

    /// Carries out a client's write; called on the source's executor, after ``DataSource/start()``.
    ///
    /// Answer with ``DataSourceSink/wrote(_:)`` or ``DataSourceSink/refused(_:_:)``, now or later, from any thread.
    /// If the source stops before it answers, the client gets `sourceUnavailable`, as the outcome is unknown.
    ///
    /// - Throws: An error if the write has changed nothing; the error answers the write. Throw `sourceUnavailable` when
    ///   the source cannot be written at present, instead of waiting. Throw `revisionConflict` when a conditional write
    ///   finds changes of another writer.
    func write(_ write: DataSourceWrite) throws
}

extension WritableDataSource {
    /// True: lists of the source accept writes.
    public var acceptsWrites: Bool { true }
}

/// A client's write to a source.
public struct DataSourceWrite: Sendable, Identifiable {
    /// Identifies the write in its answer.
    public let id: UInt64
    /// The requested change.
    public let operation: Operation
    /// Whether the write must be refused if the source has changed since ``cursor``; otherwise the last writer wins.
    ///
    /// listd has already compared the client's `expected_revision` with the list. So only changes that the source has
    /// not sent yet can still conflict.
    public let isConditional: Bool
    /// The cursor of the revision that the client knows; `nil` when the source has sent none.
    public let cursor: [UInt8]?
    /// The Unix user of the client.
    public let user: UInt32

    /// The kinds of changes.
    public enum Operation: Sendable {
        /// The whole new list, in order (`PerformUpdates`); no identifier occurs twice.
        case replace([ListObject])
        /// The identifiers of objects to remove, of which unknown ones are ignored, and then the objects to insert or
        /// change, in order (`ApplyChanges`).
        case changes(removed: [String], upserts: [UpdateRequest.Upsert])
        /// One object moves (`MoveObject`).
        case move(id: String, position: UpdateRequest.Position)
        /// Some fields of one object change (`PatchObject`).
        case patch(id: String, set: Fields, unset: [String])
    }

    /// Makes a write.
    ///
    /// - Parameter isConditional: whether the write must be refused if the source has changed since `cursor`.
    public init(
        id: UInt64, operation: Operation, isConditional: Bool = false, cursor: [UInt8]? = nil, user: UInt32 = 0
    ) {
        self.id = id
        self.operation = operation
        self.isConditional = isConditional
        self.cursor = cursor
        self.user = user
    }

    /// The error for an operation that a source does not support, `readOnly`.
    public static var unsupported: ListError {
        ListError(.readOnly, "the data source does not support this kind of write")
    }
}

/// An event that a data source sends to its list.
public enum DataSourceEvent: Sendable {
    /// The whole list; the engine computes the changes.
    case replace([ListObject])
    /// Identifiers of removed objects, then new or changed objects, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read at present, for this reason; the list keeps its objects, and its state is `failed`.
    case failed(String)
    /// The source can be read again, and has not changed.
    case ready
    /// Parts of the source that the list cannot have, for this reason, while it has all the rest; `nil` = the list has
    /// all. It lasts until the next event of this case.
    case incomplete(String?)
    /// The whole list follows in pages; pages of an earlier replacement that was not completed are dropped.
    case replacementBegan
    /// The next objects of the whole list, in order; ignored unless ``replacementBegan`` precedes it.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are complete, and together replace the list's objects.
    case replacementEnded
    /// The pages since ``replacementBegan`` are incomplete; the list keeps its objects.
    case replacementAbandoned
    /// One of ``replace(_:)``, ``changes(removed:upserts:)``, ``replacementEnded`` and ``ready``, with the progress of
    /// the source; with any other event the progress is ignored.
    indirect case upTo(DataSourceProgress, DataSourceEvent)
    /// The outcome of a write; `nil` = done, and the events before this one contain all changes of the write.
    case written(DataSourceWrite.ID, ListError?)
}

/// The progress of a data source, that is, how far it has read. The progress is sent with the objects that were
/// read, and stored with them in one transaction.
public struct DataSourceProgress: Sendable, Hashable {
    /// The maximum length of a cursor in bytes: 64 KiB.
    public static let largestCursor = 65_536
    /// The maximum length of a position in bytes of UTF-8: 1 KiB.
    public static let largestPosition = 1024

    /// The place from which the source can continue, in the source's own format. The source gets it as
    /// ``DataSourceContext/cursor`` at its next start.
    ///
    /// With a whole list, `nil` removes the stored cursor. With changes, `nil` keeps the last cursor, so that after a
    /// restart the source sends these changes again.
    public var cursor: [UInt8]?
    /// The state of the source as text, for the property `SourcePosition`. Equal texts mean the same state; `nil` =
    /// unchanged.
    public var position: String?
    /// The last time at which the list had all contents of the source, in microseconds since 1970, for the property
    /// `SourceSynced`; `nil` = the time at which listd handles the event.
    public var synced: UInt64?

    /// Describes how far a source has read.
    public init(cursor: [UInt8]? = nil, position: String? = nil, synced: UInt64? = nil) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// The error with which listd refuses the progress; `nil` = it is valid.
    @_spi(Daemon) public var fault: ListError? {
        if let cursor, cursor.count > Self.largestCursor {
            return ListError(
                .payloadTooLarge, "the cursor has \(cursor.count) bytes, more than \(Self.largestCursor)")
        }
        if let position, position.utf8.count > Self.largestPosition || position.utf8.contains(0) {
            return ListError(
                .invalidArguments, "the position has more than \(Self.largestPosition) bytes, or contains NUL")
        }
        return nil
    }
}

/// A data source of a plugin: its name, and a function that makes it for a list.
public struct DataSourceEntry: Sendable {
    /// The name inside the plugin.
    public let name: String
    /// Makes a data source. Called on the source's executor, once for each list.
    public let make: @Sendable (DataSourceContext) throws -> any DataSource
    /// Hints for showing fields of the source's objects, by the names of the fields.
    public let hints: [String: FieldHint]

    /// Makes an entry for a data source.
    ///
    /// - Parameters:
    ///   - name: the name inside the plugin.
    ///   - make: makes a data source. It throws `ListError(.invalidArguments, …)` for a wrong argument; the list is not
    ///     created then.
    public static func source(
        _ name: String, _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: [:])
    }

    /// Makes an entry for a data source with hints for showing fields of its objects.
    ///
    /// - Parameters:
    ///   - name: the name inside the plugin.
    ///   - hints: the hints by the names of the fields; the list's option `hints` overrides them.
    ///   - make: as in ``source(_:_:)``.
    public static func source(
        _ name: String, hints: [String: FieldHint],
        _ make: @escaping @Sendable (DataSourceContext) throws -> any DataSource
    ) -> DataSourceEntry {
        DataSourceEntry(name: name, make: make, hints: hints)
    }
}

/// The argument of a data source, split into its subject and options, as in `/srv/music&recursive&depth=3`.
///
/// The parts are separated by `&`. The first part is the subject, unless it is an option. An option is `key=value`,
/// or `key` as a short form of `key=yes`. Any byte may be percent-encoded: `%26` stands for `&` and `%25` for `%`.
///
/// ```swift
/// let argument = try DataSourceArgument(context.argument) { ["recursive", "depth"].contains($0) }
/// let isRecursive = try argument.options.boolean("recursive") ?? false
/// ```
public struct DataSourceArgument: Sendable, Hashable {
    /// The subject, that is, the text before the options; empty if there is none.
    public let subject: String
    /// The options; for a repeatable option, its last value.
    public let options: PluginSettings

    private let values: [String: [String]]

    /// Reads an argument.
    ///
    /// - Parameters:
    ///   - text: the argument as written, ``DataSourceContext/argument``.
    ///   - isOption: whether the source has an option of this name.
    ///   - isRepeatable: whether the option may be given several times (``values(of:)``).
    /// - Throws: `invalidArguments` that names the wrong part: an unknown option, an option that is repeated although
    ///   it is not repeatable, a `%` without two hexadecimal digits, or bytes that are not UTF-8.
    public init(
        _ text: String, isOption: (String) -> Bool, isRepeatable: (String) -> Bool = { _ in false }
    ) throws(ListError) {
        var subject = ""
        var values: [String: [String]] = [:]
        for (index, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            let key = String(part.prefix { $0 != "=" })
            if isOption(key) {
                guard values[key] == nil || isRepeatable(key) else {
                    throw ListError(.invalidArguments, "\(part.quoted): the option \(key.quoted) is given twice")
                }
                let value = part.dropFirst(key.count)
                values[key, default: []].append(value.isEmpty ? "yes" : try Self.decoded(value.dropFirst()))
            } else if index == 0 {
                subject = try Self.decoded(part)
            } else {
                throw ListError(.invalidArguments, "\(part.quoted): the data source has no option \(key.quoted)")
            }
        }
        self.subject = subject
        self.values = values
        options = PluginSettings(values.compactMapValues(\.last))
    }

    /// Returns all values of an option, in the order of the text.
    public func values(of key: String) -> [String] { values[key] ?? [] }

    private static func decoded(_ part: Substring) throws(ListError) -> String {
        guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
        var bytes: [UInt8] = []
        var rest = part.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                throw ListError(
                    .invalidArguments, "\(part.quoted): % must be followed by two hexadecimal digits; write %25 for %")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ListError(.invalidArguments, "\(part.quoted) is not UTF-8")
        }
        return text
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit; `nil` for another byte.
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
