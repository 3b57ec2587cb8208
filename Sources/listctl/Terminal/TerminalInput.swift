// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The terminal on standard input and output, and its size.
enum Terminal {
    /// Whether standard input and standard output are terminals.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Returns the number of columns and rows of the terminal; 80 × 24 when the terminal does not report its size.
    static func size() -> (columns: Int, rows: Int) { size(of: STDOUT_FILENO) ?? (80, 24) }

    /// Returns the width of the terminal at a descriptor; nil when the descriptor is no terminal, or the terminal does
    /// not report its size.
    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        // The kernel fills in the size.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// A key that the user pressed, or a typed character.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt, redraw
    /// Control-U, which deletes the typed text.
    case deleteLine
    case character(Character)
}

/// One event of the terminal: a key, a mouse event, or a hangup.
enum TerminalInput: Sendable, Equatable {
    case key(Key)
    /// A click with the first mouse button at a column and row of the terminal.
    case click(column: Int, row: Int)
    /// A turn of the mouse wheel by a number of notches; negative numbers are up.
    case wheel(Int)
    /// The terminal has hung up.
    case hungUp
}

/// A parser that joins the bytes of a terminal to whole keys, mouse reports and characters. It makes no system calls.
///
/// ncurses alone would wait only a moment for the rest of a key. Over ssh, or on a busy machine, bytes may arrive one
/// by one: ncurses would then report an Escape, and the remaining bytes as letters, which are commands of the viewer.
struct KeyAssembler {
    /// What the next byte belongs to.
    private enum Stage {
        case key
        /// An escape arrived, which is either the Escape key or the start of a sequence.
        case escape
        /// An escape was reported as the Escape key after a timeout, but a sequence may still follow.
        case lateEscape
        /// A sequence has begun; its parameters or its last byte follow.
        case parameters
        /// The given number of bytes of a sequence is missing.
        case sequence(Int)
        /// The given number of bytes of a UTF-8 character is missing.
        case character(Int)
    }

    private static let escape: UInt8 = 0x1B
    /// The maximum length of a sequence; no key has a longer one.
    private static let maximumBytes = 64

    private var stage = Stage.key
    /// The bytes of the key that is not complete yet.
    private var pending: [UInt8] = []

    /// The milliseconds to wait for the next byte before ``handleTimeout()`` is called; nil when no byte is missing.
    ///
    /// The timeout after an escape is short, because the user waits for the effect of the key. The rest of a sequence
    /// that has begun always arrives.
    var timeout: Int? {
        switch stage {
        case .key: nil
        case .escape: 100
        case .lateEscape, .parameters, .sequence, .character: 1000
        }
    }

    /// Consumes a byte. Returns the bytes of the key that the byte completes; empty when no key is complete.
    mutating func consume(_ byte: UInt8) -> [UInt8] {
        // An escape never occurs inside a sequence: an unfinished sequence before it was cut off, and is dropped.
        if byte == Self.escape {
            let before = if case .escape = stage { pending } else { [UInt8]() }
            (stage, pending) = (.escape, [byte])
            return before
        }
        pending.append(byte)
        switch stage {
        case .key: return beginCharacter()
        case .lateEscape:
            guard byte == UInt8(ascii: "[") else { return beginCharacter() }
            (stage, pending) = (.parameters, [Self.escape, byte])
            return []
        case .escape:
            switch byte {
            case UInt8(ascii: "["): stage = .parameters
            case UInt8(ascii: "O"): stage = .sequence(1)
            default: return popKey()
            }
            return []
        case .parameters: return consumeParameter(byte)
        case .sequence(let missing):
            stage = .sequence(missing - 1)
            return missing > 1 ? [] : popKey()
        case .character(let missing):
            stage = .character(missing - 1)
            return missing > 1 && byte & 0xC0 == 0x80 ? [] : popKey()
        }
    }

    /// Ends the wait for the next byte. Returns the pending bytes if they can be a key, which is not so for the start
    /// of a sequence.
    mutating func handleTimeout() -> [UInt8] {
        switch stage {
        case .escape:
            let key = popKey()
            stage = .lateEscape
            return key
        case .character: return popKey()
        case .key, .lateEscape, .parameters, .sequence:
            (stage, pending) = (.key, [])
            return []
        }
    }

    /// Begins a character with the pending byte. Returns the byte if it is a whole character.
    private mutating func beginCharacter() -> [UInt8] {
        switch pending[0] {
        case 0xC2...0xDF: stage = .character(1)
        case 0xE0...0xEF: stage = .character(2)
        case 0xF0...0xF4: stage = .character(3)
        default: return popKey()
        }
        return []
    }

    private mutating func consumeParameter(_ byte: UInt8) -> [UInt8] {
        let isFirst = pending.count == 3
        switch byte {
        case UInt8(ascii: "M") where isFirst: stage = .sequence(3)  // a mouse report: button, column, row
        case UInt8(ascii: "[") where isFirst: stage = .sequence(1)  // a function key of the Linux console
        case 0x20...0x3F where pending.count < Self.maximumBytes: break
        default: return popKey()
        }
        return []
    }

    /// Returns the pending bytes and starts over.
    private mutating func popKey() -> [UInt8] {
        defer { (stage, pending) = (.key, []) }
        return pending
    }
}

/// A listener that reports the signals that concern the terminal, until it is cancelled: SIGWINCH when the terminal was
/// resized, and SIGHUP, SIGINT and SIGTERM, after which the program must restore the terminal and end by that signal.
///
/// Dispatch owns the signal handlers. The receiver is called on a serial queue of this class. It is `@Sendable`, so it
/// is isolated to no actor, and has to enter one itself if needed.
final class TerminalSignals: Sendable {
    // Constant; a dispatch source may be cancelled from any thread, and nothing else is called on it.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Starts listening. Every signal that arrives after the initializer has returned is reported.
    init(receiver: @escaping @Sendable (_ signal: Int32) -> Void) {
        let queue = DispatchQueue(label: "org.listd.listctl.signals")
        let registered = DispatchGroup()
        unsafe sources = [SIGWINCH, SIGHUP, SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receiver(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.wait()
    }

    /// Stops listening.
    func cancel() {
        for source in unsafe sources { source.cancel() }
    }
}
