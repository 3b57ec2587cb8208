// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// What listctl can be asked for.
///
/// To add one: a type that conforms, and its line in ``CommandTable``. Help, completion and the manual follow from
/// `syntax`.
protocol Command: Sendable {
    /// How it is written.
    static var syntax: CommandSyntax { get }

    /// Reads the operands and options that `syntax` has.
    /// - Throws: a `UsageError` for values that `syntax` cannot exclude.
    init(_ invocation: Invocation) throws(UsageError)

    /// Carries it out.
    @DBusActor
    func run(in context: CommandContext) async throws(DBusError) -> ExitCode
}

/// What a command runs with.
@DBusActor
struct CommandContext {
    /// Where listd is looked for.
    let bus: Request.Bus
    /// Whether JSON is asked for.
    let json: Bool
    /// How text for people is painted on standard output.
    let style: TextStyle

    /// The bus that the command line means.
    func address() async throws(DBusError) -> BusAddress { try await BusChoice.address(for: bus) }

    /// Connects to listd for the time of `body`.
    func withDaemon<Result: Sendable>(
        _ body: @DBusActor (ListDaemonClient) async throws(DBusError) -> Result
    ) async throws(DBusError) -> Result {
        let daemon = ListDaemonClient(connection: try await BusChoice.connect(to: try await address()))
        defer { daemon.connection.close() }
        return try await body(daemon)
    }

    /// Prints one answer: as a JSON object, or as the line for people.
    func print(_ line: @autoclosure () -> String, json members: @autoclosure () -> [String: DBusValue]) {
        if json { Output.json(members()) } else { Output.line(DisplayText.harmless(line())) }
    }
}
