// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// A package in dpkg's database (deb-status(5), dpkg-query(1)).
struct Package: Equatable, Sendable {
    var name: String
    var architecture: String
    var version: String
    /// The first line of the description.
    var summary: String
    /// The section of the archive, such as `libs`.
    var section: String
    /// The installed size in bytes, as the package estimates it; `nil` if it does not.
    var installedSize: UInt64?
    /// The last word of the field Status: `installed`, `config-files`, `half-configured`, ….
    var state: String

    /// The name and architecture as dpkg prints them, `name:architecture`. A package may be installed for several
    /// architectures.
    var identity: String { architecture.isEmpty ? name : "\(name):\(architecture)" }

    /// Whether more of the package is installed than its configuration files.
    var isPresent: Bool { state != "not-installed" && state != "config-files" }

    /// The group in Debian's archive: the first letter of the name, or the first four letters if it begins with
    /// `lib`.
    var letter: String {
        let name = name.lowercased()
        return String(name.prefix(name.hasPrefix("lib") ? 4 : 1))
    }
}

extension Package {
    /// The package as an element of the field `packages` of its letter's object.
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
