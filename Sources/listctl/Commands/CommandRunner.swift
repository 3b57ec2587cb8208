// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The function that runs a command, prints its error, and returns its exit code.
@DBusActor
enum CommandRunner {
    static func run(_ request: Request) async -> ExitCode {
        let context = CommandContext(bus: request.bus, json: request.json, style: TextStyle(request.color))
        do throws(DBusError) {
            return try await request.command.run(in: context)
        } catch {
            Output.printMessage(advice(for: error, on: request.bus) ?? error.explanation)
            return exitCode(of: error)
        }
    }

    /// Returns a message that says how to start listd when it was not found. The result is nil for other errors, and
    /// when the command line names the address of a bus.
    private static func advice(for error: DBusError, on bus: Request.Bus) -> String? {
        guard error.isDaemonMissing else { return nil }
        let own = "start your own listd with “listd --bus session &”"
        let service = "start the system's listd with “systemctl start listd”"
        let delay = "a listd that has just been started takes a moment"
        return switch bus {
        case .automatic:
            "listd is neither on the session bus nor on the system bus (\(error.message)); \(own), or "
                + "\(service); \(delay)"
        case .session:
            "listd is not on the session bus (\(error.message)); \(own); \(delay)"
        case .system: "listd is not on the system bus (\(error.message)); \(service)"
        case .address: nil
        }
    }

    private static func exitCode(of error: DBusError) -> ExitCode {
        let isMissing =
            error.isDaemonMissing || error.standard == .noReply || error.name == DaemonActivation.startFailed
        return isMissing ? .unavailable : .failed
    }
}
