// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

extension DBusError {
    /// The error in words for people; listd's own errors are written for people already.
    var explanation: String {
        if standard.map(Self.missingName.contains) == true { return "listd does not run on this bus (\(message))" }
        if standard.map(Self.missingBus.contains) == true { return "no connection to the bus: \(message)" }
        return message.isEmpty ? name : Self.inWordsOfCommands(message)
    }

    /// Whether listd's name has no owner, or there is no bus.
    var meansNoDaemon: Bool { standard.map { Self.missingName.contains($0) || Self.missingBus.contains($0) } == true }

    /// Whether listd or the bus exists, but did not answer in time.
    var isTimeout: Bool { standard == .noReply || standard == .timeout || standard == .timedOut }

    private static let missingName: Set<StandardError> = [.serviceUnknown, .nameHasNoOwner]
    private static let missingBus: Set<StandardError> = [.noServer, .fileNotFound, .badAddress, .disconnected]

    /// listd's messages have the word adapter, as its interface does; commands and documents for people have list. The
    /// leading name of an argument is for programs.
    private static func inWordsOfCommands(_ message: String) -> String {
        for argument in ["id: ", "anchor: "] where message.hasPrefix(argument) {
            let rest = message.dropFirst(argument.count)
            if rest.hasPrefix("no object ") { return "there is " + rest }
            if rest.hasPrefix("there is no object ") { return String(rest) }
        }
        return message.replacing("an adapter \"", with: "a list \"").replacing("adapter \"", with: "list \"")
    }
}
