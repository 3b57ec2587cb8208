// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A command of listctl.
///
/// To add one: a type that conforms, and its line in ``CommandTable``. Help, completion and the manual follow from
/// `syntax`.
protocol Command: Sendable {
    /// Its usage.
    static var syntax: CommandSyntax { get }

    /// Reads the operands and options that `syntax` has.
    /// - Throws: a `UsageError` for values that `syntax` cannot exclude.
    init(_ invocation: Invocation) throws(UsageError)

    /// Carries it out.
    @DBusActor
    func run(in context: CommandContext) async throws(DBusError) -> ExitCode
}

/// The environment of a command.
@DBusActor
struct CommandContext {
    /// The bus to search for listd.
    let bus: Request.Bus
    /// Whether JSON is requested.
    let json: Bool
    /// The style of text on standard output.
    let style: TextStyle

    /// The address that the command line chooses.
    func address() async throws(DBusError) -> BusAddress { try await BusChoice.address(for: bus) }

    /// Connects to listd for the time of `body`.
    func withDaemon<Result: Sendable>(
        _ body: @DBusActor (ListDaemonClient) async throws(DBusError) -> Result
    ) async throws(DBusError) -> Result {
        let daemon = ListDaemonClient(connection: try await BusChoice.connect(to: try await address()))
        defer { daemon.connection.close() }
        return try await body(daemon)
    }

    /// Prints one answer: as a JSON object, or as a line of text.
    func print(_ line: @autoclosure () -> String, json members: @autoclosure () -> [String: DBusValue]) {
        if json { Output.json(members()) } else { Output.line(DisplayText.harmless(line())) }
    }
}
