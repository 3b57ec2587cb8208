// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The program that is a test's bus.
package enum BusProgram: String, Sendable {
    /// dbus-daemon, the reference.
    case daemon
    /// dbus-broker with its launcher; for root, or if there is a journal.
    case broker

    /// The one that the variable LISTD_TEST_BUS names; without it, or with `direct`, dbus-daemon.
    package static let ofThisRun =
        ProcessInfo.processInfo.environment["LISTD_TEST_BUS"].flatMap(BusProgram.init(rawValue:)) ?? .daemon

    /// The program's name for messages.
    var name: String {
        switch self {
        case .daemon: "dbus-daemon"
        case .broker: "dbus-broker"
        }
    }

    /// Starts it with a configuration file; it listens once it has written its address and a newline to `output`.
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

    /// The script that replaces systemd, which the tests of the Python package use too.
    private static let launcher = FixtureCompiler.root + "clients/python/tests/broker.py"
}
