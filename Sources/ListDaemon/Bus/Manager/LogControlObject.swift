// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// The object with which `systemctl service-log-level` sets the log level (org.freedesktop.LogControl1(5)).
@DBusActor
final class LogControlObject {
    /// The words that are accepted, from the most important level on.
    private static let levels: [(word: String, level: Log.Level)] = [
        ("emerg", .error), ("alert", .error), ("crit", .error), ("err", .error), ("warning", .warning),
        ("notice", .notice), ("info", .info), ("debug", .debug),
    ]

    private let service: Service
    /// The word that was set last. Several words mean the same level.
    private var word: String

    private init(service: Service) {
        self.service = service
        let level = service.log.level
        word = Self.levels.last { $0.level == level }?.word ?? ""
    }

    /// Exports the object.
    static func register(_ service: Service) {
        service.tree.add(ExportedObject(interface, of: LogControlObject(service: service)), at: .logControl)
    }

    static let interface = Interface<LogControlObject>(
        "org.freedesktop.LogControl1",
        [
            .property("LogLevel", as: String.self, changes: .silent) { object, _ in
                object.word
            } checkSetting: { object, call in
                _ = try object.service.authority.administrator(call, for: .manageDaemon)
            } set: { (object, value: NameArgument, _) in
                try object.setLevel(value.text)
            },
            .property("LogTarget", as: String.self, changes: .silent) { object, _ in
                object.service.log.isInJournal ? "journal" : "console"
            },
            .property("SyslogIdentifier", as: String.self, changes: .constant) { _, _ in "listd" },
        ])

    private func setLevel(_ new: String) throws(ListError) {
        guard let level = Self.levels.first(where: { $0.word == new })?.level else {
            let words = Self.levels.map(\.word).joined(separator: ", ")
            throw ListError(.invalidArguments, "LogLevel: \(new.quoted) is not one of \(words)")
        }
        (word, service.log.level) = (new, level)
    }
}

extension ObjectPath {
    fileprivate static let logControl: ObjectPath = "/org/freedesktop/LogControl1"
}
