// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import ListKit
internal import ListSupport
internal import PluginAPI

extension BuiltInSource {
    /// `jsonl:/PATH`, a file of JSON lines, which is followed.
    package static let jsonLines = BuiltInSource(
        scheme: "jsonl", form: "jsonl:/PATH", accepts: { $0.hasPrefix("/") && !$0.hasSuffix("/") },
        make: { path, context throws(ListError) in
            try JSONLSource(path: path, limits: context.limits, fileBytes: context.fileBytes, sink: context.sink)
        })
}

/// A list from a file of JSON lines, which is followed (`jsonl:/PATH`).
///
/// Appended lines are upserts; a file that was truncated, rewritten, replaced or rotated replaces the whole list. A
/// malformed line is left out, and a missing file is waited for: both are a fault as long as they last, and the list
/// has the rest. The list is `failed` only when nothing of the file could be read.
package final class JSONLSource: Source {
    /// What the source works with; touched on `queue` only.
    private final class State: @unchecked Sendable {
        // Owned by the source's serial queue.
        fileprivate var follower: JSONLFollower
        fileprivate var file: FollowedFile
        fileprivate var watch: PathWatch?
        /// The failure or fault that was reported last, unless it is over: one at most.
        fileprivate var failure: ListError?
        fileprivate var fault: ListError?
        /// Whether the list has been sent the contents of the file.
        fileprivate var isTold = false
        /// The digest of the bytes read so far.
        fileprivate var content = ContentDigest()
        /// When the list was last known to have all of the file.
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
    private let state: State
    private let sink: SourceSink

    /// Prepares to follow a file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - limits: what one object may take.
    ///   - fileBytes: what the file may have.
    /// - Throws: `limitsExceeded` without memory.
    package init(
        path: String, limits: ObjectLimits = ObjectLimits(), fileBytes: Int = 64 << 20, sink: @escaping SourceSink
    ) throws(ListError) {
        self.path = path
        self.sink = sink
        queue = DispatchQueue(label: "org.listd.source.jsonl")
        state = State(follower: try JSONLFollower(limits: limits), file: FollowedFile(path: path, limit: fileBytes))
    }

    package func start(from place: @escaping @Sendable () -> [UInt8]?) {
        // No cursor says what was read before listd ended: the file is compared with the list.
        queue.async { [self] in
            guard !state.isStopped, state.watch == nil else { return }
            state.watch = PathWatch(path: path, queue: queue) { [weak self] in self?.look() }
            look()
        }
    }

    package func setLimits(_ limits: ObjectLimits, fileBytes: Int) {
        queue.async { [self] in
            do throws(ListError) {
                try state.follower.setLimits(limits)
            } catch {
                return report(error)
            }
            state.file.setLimit(fileBytes)
            guard state.failure != nil || state.fault != nil else { return }
            // A line that was at fault is read again only with the whole file.
            state.file.forget()
            look()
        }
    }

    package func stop(completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            state.isStopped = true
            state.watch?.cancel()
            state.watch = nil
            completion()
        }
    }

    private func look() {
        guard !state.isStopped else { return }
        state.watch?.update()
        switch state.file.look() {
        case .unchanged: send([])
        case .grew(let bytes):
            state.content.append(bytes)
            send(state.follower.append(bytes))
        case .began(let bytes):
            state.wasFound = true
            state.isTold = false
            state.content = ContentDigest()
            state.content.append(bytes)
            send(state.follower.begin(with: bytes))
        case .missing:
            report(ListError(.invalidArguments, "\(path) is \(state.wasFound ? "gone" : "not there"); waiting for it"))
        case .failed(let error): report(error)
        }
    }

    /// Reports what was read, and the line that could not be read; if all lines are at fault, that is a failure.
    private func send(_ objects: [ListObject]) {
        let fault = state.follower.fault.map(located)
        if let fault, objects.isEmpty, !state.isTold { return report(fault) }
        setFault(fault)
        if fault == nil { state.synced = Clock.microseconds(of: CLOCK_REALTIME) }
        if !state.isTold {
            state.isTold = true
            succeed(.replace(JSONLFollower.lastOfEach(objects)))
        } else if !objects.isEmpty {
            succeed(.changes(removed: [], upserts: objects.map { UpdateRequest.Upsert($0) }))
        }
    }

    private func succeed(_ event: SourceEvent) {
        state.failure = nil
        sink(.upTo(DataSourceProgress(position: state.content.text, synced: state.synced), event))
    }

    /// The file cannot be read: a failure, unless the list has what was in it.
    private func report(_ error: ListError) {
        guard !state.isTold else { return setFault(error) }
        guard state.failure != error else { return }
        state.failure = error
        sink(.failed(error))
        setFault(nil)
    }

    private func setFault(_ error: ListError?) {
        guard state.fault != error else { return }
        state.fault = error
        sink(.fault(error))
    }

    private func located(_ error: ListError) -> ListError {
        ListError(error.code, "\(path), \(error.message)", cause: error.cause)
    }
}
