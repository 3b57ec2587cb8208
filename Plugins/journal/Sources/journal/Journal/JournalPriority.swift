// SPDX-License-Identifier: Apache-2.0

/// The priority of a message, as in syslog. The raw value is syslog's number; 0 is the most important.
enum JournalPriority: Int, CaseIterable, Sendable {
    case emergency, alert, critical, error, warning, notice, info, debug

    /// The name that journalctl and syslog.h use.
    var name: String {
        switch self {
        case .emergency: "emerg"
        case .alert: "alert"
        case .critical: "crit"
        case .error: "err"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// Parses a name or a number.
    init?(_ text: String) {
        let number = Int(text)
        guard let priority = Self.allCases.first(where: { $0.name == text || $0.rawValue == number }) else {
            return nil
        }
        self = priority
    }
}
