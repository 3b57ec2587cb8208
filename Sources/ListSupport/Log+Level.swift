// SPDX-License-Identifier: Apache-2.0

extension Log {
    /// The importance of a message; the raw value is the priority of syslog.
    package enum Level: Int32, Sendable, CaseIterable, Comparable {
        /// Data was lost, or a request was refused, although it should not have been.
        case error = 3
        /// Something is wrong, and listd continues without the part at fault.
        case warning = 4
        /// A normal event that an administrator should notice.
        case notice = 5
        /// A normal event.
        case info = 6
        /// Details of an event, for debugging.
        case debug = 7

        /// The level's name on the command line.
        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            case .debug: "debug"
            }
        }

        /// Finds a level by its name; nil if there is no level of that name.
        package init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// Orders levels by syslog priority: a less important level is greater.
        package static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}
