internal import Dispatch
package import ListKit

/// A list from a file of JSON lines, which is followed (`jsonl:PATH`).
///
/// Appended lines are upserts; a file that was cut, rewritten, replaced or rotated is the whole list anew. A missing file
/// is waited for: at the start the list is `loading`, later it keeps what it has and is `failed`, as it is for a file that
/// cannot be read and for a malformed line, which the error names.
package final class JSONLSource: Source {
    /// What the source works with; touched on `queue` only.
    private final class State: @unchecked Sendable {
        // Owned by the source's serial queue.
        var follower: JSONLFollower
        var file: FollowedFile
        var watch: PathWatch?
        /// What was reported last, unless it is over.
        var failure: ListError?
        var wasFound = false
        var isStopped = false

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

    package func start() {
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
                return fail(error)
            }
            state.file.limit = fileBytes
            guard state.failure != nil else { return }
            // A line that was at fault is read only with the whole file.
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
        case .unchanged: recover()
        case .grew(let bytes): grew(bytes)
        case .began(let bytes): began(bytes)
        case .missing:
            // A list that never had its file is `loading`.
            if state.wasFound { fail(ListError(.invalidArguments, "\(path) is gone; waiting for it")) }
        case .failed(let error): fail(error)
        }
    }

    private func began(_ bytes: [UInt8]) {
        state.wasFound = true
        do throws(ListError) {
            succeed(.replace(try state.follower.begin(with: bytes)))
        } catch {
            fail(located(error))
        }
    }

    private func grew(_ bytes: [UInt8]) {
        let (objects, fault) = state.follower.append(bytes)
        if objects.isEmpty {
            recover()
        } else {
            succeed(.changes(removed: [], upserts: objects.map { UpdateRequest.Upsert($0) }))
        }
        if let fault { fail(located(fault)) }
    }

    /// The file can be read as it was before; that does not mend a malformed line.
    private func recover() {
        if state.failure != nil, !state.follower.hasFault { succeed(.ready) }
    }

    private func succeed(_ event: SourceEvent) {
        state.failure = nil
        sink(event)
    }

    private func fail(_ error: ListError) {
        guard state.failure != error else { return }
        state.failure = error
        sink(.failed(error))
    }

    private func located(_ error: ListError) -> ListError {
        ListError(error.code, "\(path), \(error.message)", cause: error.cause)
    }
}
