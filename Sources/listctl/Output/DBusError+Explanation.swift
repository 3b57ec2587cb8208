// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

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
        return message.replacing("an adapter \"", with: "a list \"").replacing("adapter \"", with: "list \"")
    }
}
