// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// A package as dpkg knows it (deb-status(5), dpkg-query(1)).
struct Package: Equatable, Sendable {
    var name: String
    var architecture: String
    var version: String
    /// The first line of the description.
    var summary: String
    /// What the archive files it under, as `libs`.
    var section: String
    /// Bytes, as the package estimates it; `nil` when it does not.
    var installedSize: UInt64?
    /// The last word of the field Status: `installed`, `config-files`, `half-configured`, ….
    var state: String

    /// Tells it from others of its name: `name:architecture`, as dpkg writes it.
    var identity: String { architecture.isEmpty ? name : "\(name):\(architecture)" }

    /// Whether something of it is on the machine besides configuration.
    var isPresent: Bool { state != "not-installed" && state != "config-files" }

    /// The group that Debian's archive keeps it in: the first letter, and of libraries the first four.
    var letter: String {
        let name = name.lowercased()
        return String(name.prefix(name.hasPrefix("lib") ? 4 : 1))
    }
}

extension Package {
    /// The package as an element of its letter's field `packages`.
    var value: Value {
        var entries: [String: Value] = [
            "id": .string(identity), "name": .string(name), "architecture": .string(architecture),
            "version": .string(version), "summary": .string(summary), "section": .string(section),
            "state": .string(state),
        ]
        if let installedSize { entries["size"] = .uint64(installedSize) }
        return Value(entries)
    }
}
