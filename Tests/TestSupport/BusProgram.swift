// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The program that implements the message bus of a test.
package enum BusProgram: String, Sendable {
    /// dbus-daemon, the reference implementation.
    case daemon
    /// dbus-broker with its launcher. It needs root or a journal.
    case broker

    /// The program that the environment variable LISTD_TEST_BUS names; dbus-daemon if the variable is unset or
    /// `direct`.
    package static let ofThisRun =
        ProcessInfo.processInfo.environment["LISTD_TEST_BUS"].flatMap(BusProgram.init(rawValue:)) ?? .daemon

    /// The program's name for messages.
    var name: String {
        switch self {
        case .daemon: "dbus-daemon"
        case .broker: "dbus-broker"
        }
    }

    /// Starts the program with a configuration file. The bus is listening once it has written its address and a
    /// newline to `output`.
    func start(configuration: String, socket: String, output: Int32, errors: Int32) throws -> SpawnedProcess {
        let input = FileHandle.nullDevice.fileDescriptor
        switch self {
        case .daemon:
            return try SpawnedProcess(
                "/usr/bin/dbus-daemon",
                ["--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address=1"],
                input: input, output: output, errors: errors)
        case .broker:
            return try SpawnedProcess(
                "/usr/bin/python3", [Self.launcher, socket, configuration], input: input, output: output,
                errors: errors, leadsGroup: true)
        }
    }

    /// The script that replaces systemd as the launcher; the tests of the Python package use it too.
    private static let launcher = FixtureCompiler.root + "clients/python/tests/broker.py"
}
