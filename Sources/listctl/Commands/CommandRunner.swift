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
            Output.complain(explanation(of: error))
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

    /// Listd says adapter, as its interface does; commands and documents for people say list.
    private static func inWordsOfCommands(_ message: String) -> String {
        message.replacing("an adapter \"", with: "a list \"").replacing("adapter \"", with: "list \"")
    }

    private static func exitCode(of error: DBusError) -> ExitCode {
        switch error.standard {
        case .serviceUnknown, .nameHasNoOwner, .noServer, .fileNotFound, .badAddress, .disconnected, .noReply:
            .unavailable
        default: .failed
        }
    }
}
