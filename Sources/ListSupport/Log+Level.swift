// SPDX-License-Identifier: Apache-2.0

extension Log {
    /// How important a message is; the raw value is syslog's priority.
    package enum Level: Int32, Sendable, CaseIterable, Comparable {
        /// Something was lost or refused that should not have been.
        case error = 3
        /// Something is wrong, and listd goes on without it.
        case warning = 4
        /// Normal, and worth an admin's eye.
        case notice = 5
        /// What happened.
        case info = 6
        /// How it happened.
        case debug = 7

        /// The level's name on the command line and in `SetLogLevel`.
        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            case .debug: "debug"
            }
        }

        /// Finds a level by its name; nil for any other word.
        package init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// The less important level is the greater one, as its priority is.
        package static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}
