// SPDX-License-Identifier: Apache-2.0

import CLinux
import Dispatch
import Glibc

/// A reader of the terminal's bytes, which reports keys and mouse events.
///
/// `KeyAssembler` joins the bytes to whole keys. Each key goes through a pipe to ncurses, which decodes it. All
/// methods except `cancel` run on the queue of `CursesTerminal`.
final class CursesInput: @unchecked Sendable {
    // Constant; a dispatch source may be cancelled from any thread. All other state is used on the queue only.
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue
    private let keys: KeyPipe
    private let receiver: @Sendable (TerminalInput) -> Void
    private var assembler = KeyAssembler()
    /// The number of reads so far. A timeout compares it to learn whether another byte arrived in the meantime.
    private var readCount = 0

    /// Starts reading on `queue`, until `cancel` is called.
    init(keys: KeyPipe, queue: DispatchQueue, receiver: @escaping @Sendable (TerminalInput) -> Void) {
        (self.keys, self.queue, self.receiver) = (keys, queue, receiver)
        // A file cannot be watched by epoll, but Dispatch reads it as one that is always readable.
        let readiness = listd_readiness(STDIN_FILENO)
        source = DispatchSource.makeReadSource(
            fileDescriptor: readiness < 0 ? STDIN_FILENO : readiness, queue: queue)
        source.setCancelHandler { if readiness >= 0 { close(readiness) } }
        source.setEventHandler { [weak self] in self?.read() }
        source.activate()
    }

    /// Stops reading.
    func cancel() { source.cancel() }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        while Self.canRead {
            // The C library fills in the bytes.
            let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return receiver(.hungUp)
            }
            readCount += 1
            for byte in bytes.prefix(count) { decode(assembler.consume(byte)) }
        }
        scheduleTimeout()
    }

    private func scheduleTimeout() {
        guard let timeout = assembler.timeout else { return }
        let count = readCount
        queue.asyncAfter(deadline: .now() + .milliseconds(timeout)) { [weak self] in
            guard let self, readCount == count, !source.isCancelled else { return }
            // The byte may have arrived while the queue was busy drawing.
            guard !Self.canRead else { return read() }
            decode(assembler.handleTimeout())
            scheduleTimeout()
        }
    }

    private func decode(_ key: [UInt8]) {
        guard !key.isEmpty else { return }
        keys.write(key)
        CursesKeys.read(isSequence: key.count > 2 && key[0] == 0x1B, receiver)
    }

    private static var canRead: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // The C library fills in the events.
        return unsafe poll(&descriptor, 1, 0) > 0
    }
}

/// The pipe that ncurses reads instead of the terminal.
///
/// Writing never blocks: a key is much shorter than a pipe's capacity, and ncurses reads it at once.
struct KeyPipe: Sendable {
    /// The end that ncurses reads. It stays open until the process ends.
    let readEnd: Int32
    private let writeEnd: Int32

    /// Creates the pipe; nil when the process can open no more descriptors.
    init?() {
        var ends: [Int32] = [0, 0]
        // The C library fills in both ends.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func write(_ key: [UInt8]) {
        // The kernel copies the bytes.
        _ = unsafe Glibc.write(writeEnd, key, key.count)
    }
}
