// SPDX-License-Identifier: Apache-2.0

import DBus
internal import Glibc
import ListClient

/// The exit codes of the program. The numbers are those of sysexits.h, and those that shells use for signals.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 64
    case noInput = 66
    case unavailable = 69
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// Returns the exit code after a signal, which is 128 plus the signal's number.
    static func ended(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) ?? .failed }
}

/// An error in the command line. The message says what is wrong.
struct UsageError: Error, Equatable {
    let message: String
    /// The command whose help the message refers to.
    var command: String?
}

extension DBusError {
    /// The error as a message for people. The messages of listd's own errors are used nearly unchanged.
    var explanation: String {
        if isNameMissing { return "listd is not running on this bus (\(message))" }
        if isBusMissing { return "no connection to the bus: \(message)" }
        return message.isEmpty ? name : Self.replacingAdapterByList(message)
    }

    /// Whether listd's bus name has no owner, or the bus cannot be reached.
    var isDaemonMissing: Bool { isNameMissing || isBusMissing }

    /// Whether listd or the bus exists, but did not answer in time.
    var isTimeout: Bool { standard == .noReply || standard == .timeout || standard == .timedOut }

    private var isNameMissing: Bool { standard == .serviceUnknown || standard == .nameHasNoOwner }

    private var isBusMissing: Bool {
        switch standard {
        case .noServer, .fileNotFound, .badAddress, .disconnected: true
        default: false
        }
    }

    /// Returns listd's message with the words of the commands. listd's messages say “adapter”, as its interface does;
    /// the commands and the documents for people say “list”. The name of an argument at the start, which is for
    /// programs, is removed.
    private static func replacingAdapterByList(_ message: String) -> String {
        for argument in ["id: ", "anchor: "] where message.hasPrefix(argument) {
            let rest = message.dropFirst(argument.count)
            if rest.hasPrefix("no object ") { return "there is " + rest }
            if rest.hasPrefix("there is no object ") { return String(rest) }
        }
        return message.replacing("an adapter “", with: "a list “").replacing("adapter “", with: "list “")
    }
}

/// The operating system's messages for errors.
enum SystemError {
    /// Returns the message of strerror(3) for an `errno`.
    static func text(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
