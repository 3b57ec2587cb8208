// SPDX-License-Identifier: Apache-2.0

/// How the process ends, as the command line promises it (sysexits.h names the numbers from 64 on).
package enum ExitCode: Int32, Sendable {
    /// Everything asked for was done; what was accepted is stored.
    case done = 0
    /// The configuration has a fault.
    case configuration = 1
    /// The command line could not be understood (EX_USAGE).
    case usage = 64
    /// There is no bus, or somebody else owns the name (EX_UNAVAILABLE).
    case noBus = 69
    /// The state directory cannot be used (EX_IOERR).
    case store = 74
}
