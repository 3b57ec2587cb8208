// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Carries out one command and says how it ended.
@DBusActor
enum CommandRunner {
    static func run(_ request: Request) async -> ExitCode {
        let context = CommandContext(bus: request.bus, json: request.json, style: TextStyle(request.color))
        do throws(DBusError) {
            return try await request.command.run(in: context)
        } catch {
            Output.complain(missingDaemon(error, on: request.bus) ?? explanation(of: error))
            return exitCode(of: error)
        }
    }

    /// The error in words for a person: listd's own errors speak for themselves.
    static func explanation(of error: DBusError) -> String {
        switch error.standard {
        case .serviceUnknown, .nameHasNoOwner: "listd does not run on this bus (\(error.message))"
        case .noServer, .fileNotFound, .badAddress, .disconnected: "no connection to the bus: \(error.message)"
        default: error.message.isEmpty ? error.name : inWordsOfCommands(error.message)
        }
    }

    /// What to do when listd is not where it was looked for; nil when something else is wrong, or a bus of somebody's own was named.
    private static func missingDaemon(_ error: DBusError, on bus: Request.Bus) -> String? {
        guard exitCode(of: error) == .unavailable, error.standard != .noReply else { return nil }
        let own = "“listd --bus session &” starts one"
        let service = "“systemctl start listd” starts it"
        return switch bus {
        case .automatic:
            "listd is neither on the session bus nor on the system bus (\(error.message)); \(own) of your own, \(service) for "
                + "all; one that has just been started takes a moment"
        case .session:
            "listd is not on the session bus (\(error.message)); \(own); one that has just been started takes a moment"
        case .system: "listd is not on the system bus (\(error.message)); \(service)"
        case .address: nil
        }
    }

    /// Listd says adapter, as its interface does; commands and documents for people say list. The name of an argument in front
    /// is for programs.
    private static func inWordsOfCommands(_ message: String) -> String {
        for argument in ["id: ", "anchor: "] where message.hasPrefix(argument + "no object ") {
            return "there is " + message.dropFirst(argument.count)
        }
        for argument in ["id: ", "anchor: "] where message.hasPrefix(argument + "there is no object ") {
            return String(message.dropFirst(argument.count))
        }
        return message.replacing("an adapter \"", with: "a list \"").replacing("adapter \"", with: "list \"")
    }

    private static func exitCode(of error: DBusError) -> ExitCode {
        switch error.standard {
        case .serviceUnknown, .nameHasNoOwner, .noServer, .fileNotFound, .badAddress, .disconnected, .noReply:
            .unavailable
        default: .failed
        }
    }
}
