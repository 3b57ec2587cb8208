// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Runs one command and returns its exit code.
@DBusActor
enum CommandRunner {
    static func run(_ request: Request) async -> ExitCode {
        let context = CommandContext(bus: request.bus, json: request.json, style: TextStyle(request.color))
        do throws(DBusError) {
            return try await request.command.run(in: context)
        } catch {
            Output.complain(advice(for: error, on: request.bus) ?? error.explanation)
            return exitCode(of: error)
        }
    }

    /// What to do when listd was not found; nil for other errors, or when the command line names a bus.
    private static func advice(for error: DBusError, on bus: Request.Bus) -> String? {
        guard error.meansNoDaemon else { return nil }
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

    private static func exitCode(of error: DBusError) -> ExitCode {
        error.meansNoDaemon || error.standard == .noReply ? .unavailable : .failed
    }
}
