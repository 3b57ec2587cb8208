// SPDX-License-Identifier: Apache-2.0

/// The importance of a message, as in syslog; the raw value is the number, 0 the most important.
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

    /// Reads a name or a number.
    init?(_ text: String) {
        let number = Int(text)
        guard let priority = Self.allCases.first(where: { $0.name == text || $0.rawValue == number }) else {
            return nil
        }
        self = priority
    }
}
