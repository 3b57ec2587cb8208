// SPDX-License-Identifier: Apache-2.0

/// The exit status of the process, as listd(8) documents it. sysexits.h defines the numbers from 64 on.
package enum ExitCode: Int32, Sendable {
    /// The process did what was asked, and every accepted change is stored.
    case done = 0
    /// The configuration has a mistake.
    case configuration = 1
    /// The command line is invalid (EX_USAGE).
    case usage = 64
    /// There is no bus, or another process owns the bus name (EX_UNAVAILABLE).
    case noBus = 69
    /// The state directory cannot be used (EX_IOERR).
    case store = 74
    /// A restored store waits to be taken by the next start (EX_TEMPFAIL).
    case restart = 75
    /// The store is of a newer listd, so this one changes nothing (EX_CONFIG).
    case newerStore = 78
}
