// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListKit
internal import ListSupport

/// Reads a pipe or socket to its end as data arrives, with a limit on the time without data.
///
/// The other side shares the open file and may change its flags or read from it. Nevertheless, no call here can
/// block.
final class StreamRead: @unchecked Sendable {
    // All mutable properties belong to `queue`, on which all handlers run.
    private let file: FileDescriptor
    /// The pipe through which the bytes of a pipe are read; nil for a socket.
    private let passage: PipePassage?
    private let account: BulkAccount
    private let queue: DispatchQueue
    private var bytes: [UInt8] = []
    private var source: (any DispatchSourceRead)?
    private var timer: (any DispatchSourceTimer)?
    private var continuation: CheckedContinuation<Result<[UInt8], ListError>, Never>?
    private var isCancelled = false

    init(_ file: FileDescriptor, isSocket: Bool, account: BulkAccount, queue: DispatchQueue) throws(ListError) {
        self.file = file
        self.account = account
        self.queue = queue
        passage = isSocket ? nil : try PipePassage()
    }

    /// Reads all bytes up to the end; called once.
    func bytes() async throws(ListError) -> [UInt8] {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in queue.async { self.begin(continuation) } }
        } onCancel: {
            queue.async {
                self.isCancelled = true
                self.finish(.failure(Self.cancelled))
            }
        }
        return try outcome.get()
    }

    private static let cancelled = ListError(.invalidArguments, "file: reading was cancelled")

    private func begin(_ continuation: CheckedContinuation<Result<[UInt8], ListError>, Never>) {
        if isCancelled { return continuation.resume(returning: .failure(Self.cancelled)) }
        self.continuation = continuation
        let readiness = FileDescriptor(adopting: listd_readiness(file.rawValue))
        guard readiness.rawValue >= 0 else {
            return finish(
                .failure(ListError(.limitsExceeded, "the file cannot be watched", cause: SystemError.text(errno))))
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in finish(.failure(tooSlow)) }
        self.timer = timer
        restartTimer()
        timer.activate()
        let source = DispatchSource.makeReadSource(fileDescriptor: readiness.rawValue, queue: queue)
        source.setEventHandler { [self] in readAvailable() }
        // The descriptors must stay open as long as Dispatch may use them.
        source.setCancelHandler { [file] in _ = (file, readiness) }
        self.source = source
        source.activate()
        // The writing end of a pipe is never readable, so this first read detects it.
        readAvailable()
    }

    private var tooSlow: ListError {
        ListError(.invalidArguments, "no data arrived from the file for \(account.limits.idleTime)")
    }

    private func restartTimer() {
        timer?.schedule(deadline: .now() + .milliseconds(Int(clamping: account.limits.idleTime.milliseconds)))
    }

    /// Reads the available data. After about 1 MiB, the rest waits for another turn of the queue, so that other reads
    /// get a turn.
    private func readAvailable() {
        guard continuation != nil else { return }
        var taken = 0
        while taken < 1 << 20 {
            switch passage?.read(file.rawValue, appendingTo: &bytes) ?? readSocket() {
            case .bytes(let count):
                taken += count
                do throws(ListError) { try account.countRead(count) } catch { return finish(.failure(error)) }
            case .nothing:
                if taken > 0 { restartTimer() }
                return
            case .end: return finish(.success(bytes))
            case .failed(let number): return finish(.failure(.unreadable(errno: number)))
            }
        }
        restartTimer()
    }

    private func readSocket() -> StreamOutcome {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(file.rawValue, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 { bytes += chunk.prefix(count) }
        return StreamOutcome(count)
    }

    private func finish(_ outcome: Result<[UInt8], ListError>) {
        guard let continuation else { return }
        self.continuation = nil
        source?.cancel()
        timer?.cancel()
        (source, timer) = (nil, nil)
        bytes = []
        continuation.resume(returning: outcome)
    }
}

/// The outcome of an attempt to read the available bytes without blocking.
enum StreamOutcome {
    case bytes(Int)
    case nothing
    case end
    case failed(Int32)

    /// Converts the result of a system call.
    init(_ count: Int) {
        if count > 0 {
            self = .bytes(count)
        } else if count == 0 {
            self = .end
        } else {
            self = errno == EAGAIN || errno == EINTR ? .nothing : .failed(errno)
        }
    }
}

/// A pipe through which the data of another pipe is moved (splice(2)), because read(2) has no flag for non-blocking reads.
private struct PipePassage {
    private let readEnd: FileDescriptor
    private let writeEnd: FileDescriptor

    init() throws(ListError) {
        var ends: (read: Int32, write: Int32) = (-1, -1)
        guard unsafe listd_pipe(&ends.read, &ends.write) == 0 else {
            throw ListError(.limitsExceeded, "a pipe could not be created", cause: SystemError.text(errno))
        }
        readEnd = FileDescriptor(adopting: ends.read)
        writeEnd = FileDescriptor(adopting: ends.write)
    }

    func read(_ descriptor: Int32, appendingTo bytes: inout [UInt8]) -> StreamOutcome {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let moved = listd_splice_now(descriptor, writeEnd.rawValue, chunk.count)
        guard moved > 0 else { return StreamOutcome(moved) }
        var received = 0
        while received < moved {
            let count = unsafe Glibc.read(readEnd.rawValue, &chunk, moved - received)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return .failed(errno) }
            bytes += chunk.prefix(count)
            received += count
        }
        return .bytes(moved)
    }
}
