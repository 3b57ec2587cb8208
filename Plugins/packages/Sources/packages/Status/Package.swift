// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// A package as in dpkg's database (deb-status(5), dpkg-query(1)).
struct Package: Equatable, Sendable {
    var name: String
    var architecture: String
    var version: String
    /// The first line of the description.
    var summary: String
    /// The section of the archive, such as `libs`.
    var section: String
    /// Installed bytes, as the package estimates them; `nil` when it does not.
    var installedSize: UInt64?
    /// The last word of the field Status: `installed`, `config-files`, `half-configured`, ….
    var state: String

    /// Distinguishes it from other architectures of the same name: `name:architecture`, as dpkg writes it.
    var identity: String { architecture.isEmpty ? name : "\(name):\(architecture)" }

    /// Whether more of it is installed than configuration files.
    var isPresent: Bool { state != "not-installed" && state != "config-files" }

    /// The group in Debian's archive: the first letter of the name, or of a library's name the first four.
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
