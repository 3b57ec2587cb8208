// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Reads the terminal's bytes, and lets ncurses decode the keys among them, each passed whole through a pipe.
///
/// Belongs to the queue of `CursesTerminal`, except `cancel`.
final class CursesInput: @unchecked Sendable {
    // Set once; a dispatch source may be cancelled from any thread. The queue owns everything else.
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue
    private let keys: KeyPipe
    private let receiver: @Sendable (TerminalInput) -> Void
    private var assembler = KeyAssembler()
    /// How often bytes were read, to see whether the next byte came in time.
    private var readings = 0

    /// Reads on `queue` until it is cancelled.
    init(keys: KeyPipe, queue: DispatchQueue, receiver: @escaping @Sendable (TerminalInput) -> Void) {
        (self.keys, self.queue, self.receiver) = (keys, queue, receiver)
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
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
            readings += 1
            for byte in bytes.prefix(count) { tell(assembler.consume(byte)) }
        }
        awaitRest()
    }

    private func awaitRest() {
        guard let patience = assembler.patience else { return }
        let reading = readings
        queue.asyncAfter(deadline: .now() + .milliseconds(patience)) { [weak self] in
            guard let self, readings == reading, !source.isCancelled else { return }
            // The byte may have arrived while the queue drew.
            guard !Self.canRead else { return read() }
            tell(assembler.giveUp())
            awaitRest()
        }
    }

    private func tell(_ key: [UInt8]) {
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

/// The pipe that ncurses reads instead of the terminal. Never blocks: a key is much shorter than a pipe's capacity, and
/// is read at once.
struct KeyPipe: Sendable {
    /// The end that ncurses reads, open until the process ends.
    let reading: Int32
    private let writing: Int32

    /// Makes the pipe; nil when the process can open no more descriptors.
    init?() {
        var ends: [Int32] = [0, 0]
        // The C library fills in both ends.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (reading, writing) = (ends[0], ends[1])
    }

    func write(_ key: [UInt8]) {
        // The bytes are copied.
        _ = unsafe Glibc.write(writing, key, key.count)
    }
}
