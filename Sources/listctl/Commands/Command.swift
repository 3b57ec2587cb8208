// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A command of listctl.
///
/// To add a command, write a type that conforms to this protocol, and add it to ``CommandTable``. Help, completion and
/// the manual page follow from `syntax`.
protocol Command: Sendable {
    /// The name, operands, options and help of the command.
    static var syntax: CommandSyntax { get }

    /// Creates the command from the operands and options that `syntax` declares.
    ///
    /// - Throws: a `UsageError` for a value that `syntax` cannot rule out.
    init(_ invocation: Invocation) throws(UsageError)

    /// Runs the command.
    @DBusActor
    func run(in context: CommandContext) async throws(DBusError) -> ExitCode
}

/// What every command gets besides its own operands and options: the bus and the format of its output.
@DBusActor
struct CommandContext {
    /// The bus to search for listd.
    let bus: Request.Bus
    /// Whether the command prints JSON.
    let json: Bool
    /// The style of text on standard output.
    let style: TextStyle

    /// Returns the address of the bus that the command line names.
    func address() async throws(DBusError) -> BusAddress { try await BusChoice.address(for: bus) }

    /// Connects to listd, calls `body`, and closes the connection.
    func withDaemon<Result: Sendable>(
        _ body: @DBusActor (ListDaemonClient) async throws(DBusError) -> Result
    ) async throws(DBusError) -> Result {
        let address = try await address()
        let daemon = ListDaemonClient(connection: try await BusChoice.connect(to: address))
        defer { daemon.connection.close() }
        if daemon.connection.isBus {
            try await DaemonActivation(connection: daemon.connection, isOfUser: address == .session).awaitStart()
        }
        return try await body(daemon)
    }

    /// Prints one result, as a JSON object or as a line of text.
    func print(_ line: @autoclosure () -> String, json members: @autoclosure () -> [String: DBusValue]) {
        if json { Output.writeJSON(members()) } else { Output.writeLine(DisplayText.sanitized(line())) }
    }
}
