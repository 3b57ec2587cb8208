// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListKit
internal import ListSupport
internal import PluginAPI

extension BuiltInSource {
    /// The source `jsonl:/PATH`, which follows a file of JSON lines.
    package static let jsonLines = BuiltInSource(
        scheme: "jsonl", form: "jsonl:/PATH", accepts: { $0.hasPrefix("/") && !$0.hasSuffix("/") },
        make: { path, context throws(ListError) in
            try JSONLSource(
                path: path, limits: context.limits, fileBytes: context.fileBytes, identify: context.identify,
                sink: context.sink)
        })
}

/// A source that fills a list from a file of JSON lines and follows the file (`jsonl:/PATH`).
///
/// Appended lines are upserts. A file that was truncated, rewritten, replaced or rotated replaces the whole list. A
/// faulty line is skipped, and a missing file is waited for. Both are reported as a fault as long as they last, while
/// the list keeps its other objects. The list is `failed` only when nothing of the file could be read.
package final class JSONLSource: Source {
    /// The mutable state of the source, used on `queue` only.
    private final class Reading: @unchecked Sendable {
        // Owned by the serial queue of the source.
        fileprivate var follower: JSONLFollower
        fileprivate var file: FollowedFile
        fileprivate var watch: PathWatch?
        /// The failure and the fault that are currently reported. At most one of them is not nil.
        fileprivate var failure: ListError?
        fileprivate var fault: ListError?
        /// Whether the list has received the contents of the file.
        fileprivate var isSent = false
        /// A digest of all bytes read so far.
        fileprivate var content = ContentDigest()
        /// The time when the list was last known to contain the whole file, in microseconds since 1970; 0 for never.
        fileprivate var synced: UInt64 = 0
        fileprivate var wasFound = false
        fileprivate var isStopped = false

        init(follower: consuming JSONLFollower, file: FollowedFile) {
            self.follower = follower
            self.file = file
        }
    }

    private let queue: DispatchQueue
    private let path: String
    private let reading: Reading
    private let sink: SourceSink

    /// Prepares to follow a file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file.
    ///   - limits: the limits of one object.
    ///   - fileBytes: the maximum size of the file in bytes.
    ///   - identify: the identifiers of objects without one.
    /// - Throws: `limitsExceeded` when there is no memory.
    package init(
        path: String, limits: ObjectLimits = ObjectLimits(), fileBytes: Int = 64 << 20, identify: Identify = .none,
        sink: @escaping SourceSink
    ) throws(ListError) {
        self.path = path
        self.sink = sink
        queue = DispatchQueue(label: "org.listd.source.jsonl")
        reading = Reading(
            follower: try JSONLFollower(limits: limits, identify: identify),
            file: FollowedFile(path: path, limit: fileBytes))
    }

    package func start(from place: @escaping @Sendable () -> [UInt8]?) {
        // This source has no cursor: after a restart, the whole file is compared with the list.
        queue.async { [self] in
            guard !reading.isStopped, reading.watch == nil else { return }
            reading.watch = PathWatch(path: path, queue: queue) { [weak self] in self?.readFile() }
            readFile()
        }
    }

    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {
        queue.async { [self] in
            reading.follower.setLimits(limits)
            reading.file.setLimit(fileBytes)
            guard reading.failure != nil || reading.fault != nil else { return }
            // A line that was faulty is read again only with the whole file.
            reading.file.reset()
            readFile()
        }
    }

    package func stop(completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            reading.isStopped = true
            reading.watch?.cancel()
            reading.watch = nil
            completion()
        }
    }

    private func readFile() {
        guard !reading.isStopped else { return }
        reading.watch?.update()
        switch reading.file.readChanges() {
        case .unchanged: send([])
        case .grew(let bytes):
            reading.content.append(bytes)
            send(reading.follower.append(bytes))
        case .began(let bytes):
            reading.wasFound = true
            reading.isSent = false
            reading.content = ContentDigest()
            reading.content.append(bytes)
            send(reading.follower.begin(with: bytes))
        case .missing:
            let fault = reading.wasFound ? "was removed" : "does not exist"
            report(ListError(.invalidArguments, "\(path.shortenedPath) \(fault); listd waits for it"))
        case .failed(let error): report(error)
        }
    }

    /// Sends the objects that were read, and the fault of the first skipped line. If all lines are faulty, reports a
    /// failure.
    private func send(_ objects: [ListObject]) {
        let fault = reading.follower.fault.map(withPath)
        if let fault, objects.isEmpty, !reading.isSent { return report(fault) }
        setFault(fault)
        if fault == nil { reading.synced = Clock.microseconds(of: CLOCK_REALTIME) }
        if !reading.isSent {
            reading.isSent = true
            sendEvent(.replace(JSONLFollower.lastObjectOfEachID(in: objects)))
        } else if !objects.isEmpty {
            sendEvent(.changes(removed: [], upserts: objects.map { UpdateRequest.Upsert($0) }))
        }
    }

    private func sendEvent(_ event: SourceEvent) {
        reading.failure = nil
        sink(.upTo(DataSourceProgress(position: reading.content.text, synced: reading.synced), event))
    }

    /// Reports that the file cannot be read. This is a fault if the list has the file's contents, and otherwise a
    /// failure.
    private func report(_ error: ListError) {
        guard !reading.isSent else { return setFault(error) }
        guard reading.failure != error else { return }
        reading.failure = error
        sink(.failed(error))
        setFault(nil)
    }

    private func setFault(_ error: ListError?) {
        guard reading.fault != error else { return }
        reading.fault = error
        sink(.fault(error))
    }

    private func withPath(_ error: ListError) -> ListError {
        ListError(error.code, "\(path.shortenedPath), \(error.message)", cause: error.cause)
    }
}

/// Converts a growing file of JSON lines into objects: new lines as they are completed, or all lines when the file
/// has new content.
///
/// A line with the identifier of an earlier object replaces this object at its position; other lines append an object.
/// A line is read when its line feed has arrived. A faulty line is skipped. The first skipped line is reported as the
/// fault until the file has new content.
struct JSONLFollower: ~Copyable {
    private var limits: ObjectLimits
    private var decoder: JSONLDecoder
    /// The beginning of a line without its line feed.
    private var pending: [UInt8] = []
    /// The number of the next line.
    private var line = 1
    /// The error of the first skipped line: `invalidObject` or `payloadTooLarge` with its line number.
    private(set) var fault: ListError?
    /// Whether the current line is skipped because it is too long.
    private var isSkipping = false

    init(limits: ObjectLimits, identify: Identify = .none) throws(ListError) {
        self.limits = limits
        decoder = try JSONLDecoder(limits: limits, identify: identify)
    }

    /// Changes the limits for lines that are read from now on.
    mutating func setLimits(_ limits: ObjectLimits) {
        guard limits != self.limits else { return }
        decoder.setLimits(limits)
        self.limits = limits
    }

    /// Reads the whole content of a file. Returns its objects, each identifier once.
    mutating func begin(with bytes: [UInt8]) -> [ListObject] {
        line = 1
        pending.removeAll()
        fault = nil
        isSkipping = false
        decoder.beginList()
        return Self.lastObjectOfEachID(in: append(bytes))
    }

    /// Reads appended bytes. Returns the objects of the lines that are now complete.
    mutating func append(_ bytes: [UInt8]) -> [ListObject] {
        let text = pending.isEmpty ? bytes : pending + bytes
        var objects: [ListObject] = []
        var start = 0
        while start < text.count {
            let end = JSONLDecoder.lineEnd(from: start, in: text.span)
            if end == text.count { break }
            if isSkipping { isSkipping = false } else { read(start..<end, of: text.span, into: &objects) }
            start = end + 1
            line += 1
        }
        pending = isSkipping ? [] : Array(text[start...])
        skipOverlongLine()
        return objects
    }

    private mutating func read(_ range: Range<Int>, of text: Span<UInt8>, into objects: inout [ListObject]) {
        do throws(ListError) {
            if let object = try decoder.object(at: range, of: text, line: line) { objects.append(object) }
        } catch {
            record(error)
        }
    }

    private mutating func record(_ error: ListError) {
        if fault == nil { fault = error }
    }

    /// Discards an incomplete line that exceeds the limit, so that it cannot fill the memory.
    private mutating func skipOverlongLine() {
        let most = JSONLDecoder.longestLine(limits)
        guard pending.count > most else { return }
        record(LimitKey.objectBytes.refusal(.payloadTooLarge, "line \(line) has more than \(most) bytes"))
        pending = []
        isSkipping = true
    }

    /// Returns the last object for each identifier, at the position of the first object with this identifier.
    static func lastObjectOfEachID(in objects: [ListObject]) -> [ListObject] {
        var places: [ObjectKey: Int] = [:]
        places.reserveCapacity(objects.count)
        var result: [ListObject] = []
        result.reserveCapacity(objects.count)
        for object in objects {
            let key = ObjectKey(object: object)
            if let place = places[key] {
                result[place] = object
            } else {
                places[key] = result.count
                result.append(object)
            }
        }
        return result
    }
}

/// A dictionary key for objects: objects with the same identifier are equal.
private struct ObjectKey: Hashable {
    let object: ListObject

    static func == (lhs: ObjectKey, rhs: ObjectKey) -> Bool { lhs.object.isSame(as: rhs.object) }

    func hash(into hasher: inout Hasher) { object.hash(into: &hasher) }
}

/// A digest of a file's content: its length and its 64-bit FNV-1a hash, independent of the pieces in which it was
/// read.
struct ContentDigest {
    private var count = 0
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds the next bytes to the digest.
    ///
    /// - Complexity: O(bytes)
    mutating func append(_ bytes: [UInt8]) {
        var hash = hash
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        self.hash = hash
        count += bytes.count
    }

    /// The digest as text. Equal content has the same text, also after a restart of listd.
    var text: String { "\(count)-\(String(hash, radix: 16))" }
}
