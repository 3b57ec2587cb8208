// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// The service of a list: a section of `pg_service.conf`, with the parameters that listd adds.
struct ServiceAddress: Hashable, Sendable {
    /// The name of the section; empty = libpq's defaults, usually a server on this machine.
    let service: String

    /// The service as text for messages.
    var text: String { service.isEmpty ? "the local server" : "service=\(service)" }

    /// The connection parameters that listd passes to libpq, in order. The service file has the others.
    var parameters: [(String, String)] {
        var parameters: [(String, String)] = []
        if !service.isEmpty { parameters.append(("service", service)) }
        parameters += [
            ("application_name", Self.applicationName), ("client_encoding", "UTF8"), ("connect_timeout", "3"),
            // With libpq's defaults, a lost peer is detected only after a quarter of an hour.
            ("tcp_user_timeout", "4000"), ("keepalives", "1"), ("keepalives_idle", "4"), ("keepalives_interval", "1"),
            ("keepalives_count", "4"),
        ]
        if service.isEmpty { parameters.append(("dbname", "postgres")) }
        if let password { parameters.append(("password", password)) }
        return parameters
    }

    /// The password from the service manager's credential `SERVICE.password`; `nil` = libpq reads its password
    /// file.
    private var password: String? {
        guard let directory = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], !service.isEmpty,
            !service.contains("/"),
            let text = try? String(contentsOfFile: "\(directory)/\(service).password", encoding: .utf8)
        else { return nil }
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    /// The name in `pg_stat_activity`: `listd/` and the host name.
    private static let applicationName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "listd" }
        return "listd/" + String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

/// One server of a service that has several.
struct ServerAddress: Hashable, Sendable {
    let host: String
    /// The network address; empty for a Unix socket.
    let address: String
    let port: String

    /// The connection parameters that replace those of the service.
    var parameters: [(String, String)] {
        guard !host.isEmpty || !address.isEmpty else { return [] }
        return [("host", host), ("hostaddr", address), ("port", port), ("target_session_attrs", "any")]
    }
}

/// Computes the delay before the next attempt: 0.2 s, then twice as long each time, and never more than 3 s.
///
/// Each delay is multiplied by a random factor from 0.5 to 1, so that many machines do not connect at the same moment.
/// It stays short because a failed attempt costs a server that is away nothing, and users wait for its return.
struct BackOff {
    private var attempts = 0

    mutating func nextDelay() -> Duration {
        attempts += 1
        return Self.delay(after: attempts)
    }

    /// Returns the delay after a number of attempts, at least 1.
    static func delay(after attempts: Int) -> Duration {
        let seconds = min(3, 0.2 * Double(1 << min(attempts - 1, 10)))
        return .seconds(seconds * Double.random(in: 0.5...1))
    }
}
