// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The content of dpkg's status file: stanzas of fields, separated by empty lines (deb822(5)).
///
/// No content causes an error. A line that is not a field is skipped, a stanza without a package name or state is
/// counted, and bytes that are not UTF-8 become `U+FFFD`.
struct StatusFile {
    /// The packages in the order of the file. If a package is repeated, its last stanza is used.
    private(set) var packages: [Package] = []
    /// The number of stanzas without a package name or state.
    private(set) var unreadableCount = 0
    /// The line on which the first stanza without a package name or state begins.
    private(set) var firstUnreadableLine: Int?

    private var places: [String: Int] = [:]

    /// Parses the content of a file.
    init(_ bytes: [UInt8]) {
        var stanza = Stanza(line: 1)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy(\.isBlank) {
                add(stanza)
                stanza = Stanza(line: number + 1)
            } else {
                stanza.parse(line)
            }
        }
        add(stanza)
    }

    private mutating func add(_ stanza: Stanza) {
        guard !stanza.isEmpty else { return }
        guard let package = stanza.package else {
            unreadableCount += 1
            firstUnreadableLine = firstUnreadableLine ?? stanza.line
            return
        }
        if let place = places[package.identity] {
            packages[place] = package
        } else {
            places[package.identity] = packages.count
            packages.append(package)
        }
    }
}

/// One stanza, with the fields that are used here.
private struct Stanza {
    private static let wanted: Set = [
        "package", "architecture", "version", "description", "section", "installed-size", "status",
    ]

    /// The line on which the stanza begins.
    let line: Int
    private(set) var isEmpty = true
    private var fields: [String: String] = [:]

    init(line: Int) { self.line = line }

    /// Parses a line. Continuation lines, which begin with a blank, are skipped.
    mutating func parse(_ line: ArraySlice<UInt8>) {
        isEmpty = false
        guard line.first?.isBlank == false, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard Self.wanted.contains(key), fields[key] == nil else { return }
        fields[key] = Self.text(line[(colon + 1)...])
    }

    /// Returns the bytes as text without surrounding blanks. NUL, which a D-Bus string must not contain, becomes
    /// `U+FFFD`.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes.drop(while: \.isBlank)
        while bytes.last?.isBlank == true { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
    }

    var package: Package? {
        guard let name = fields["package"], !name.isEmpty,
            let state = fields["status"]?.split(separator: " ").last
        else { return nil }
        let kibibytes = fields["installed-size"].flatMap(UInt64.init)
        return Package(
            name: name, architecture: fields["architecture"] ?? "", version: fields["version"] ?? "",
            summary: fields["description"] ?? "", section: fields["section"] ?? "",
            installedSize: kibibytes.map { $0.multipliedReportingOverflow(by: 1024) }
                .flatMap { $0.overflow ? nil : $0.partialValue },
            state: String(state))
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
    }
}

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

/// The packages grouped by letter, for the objects of a list.
///
/// One object holds all packages of a letter, so that its header stays at the top while the packages scroll. A
/// changed package changes one item of the section, and nothing else.
struct Letters {
    private let groups: [String: [Package]]

    init(_ packages: [Package]) {
        groups = Dictionary(grouping: packages, by: \.letter)
            .mapValues { $0.sorted { ($0.name, $0.architecture) < ($1.name, $1.architecture) } }
    }

    /// Returns one object for each letter, in alphabetical order.
    func objects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        for (letter, packages) in groups.sorted(by: { $0.key < $1.key }) {
            objects.append(
                try ListObject(
                    id: letter, type: "letter",
                    fields: try Fields([
                        "heading": .string(letter.count == 1 ? letter.uppercased() : letter),
                        "packages": .array(element: "a{sv}", packages.map(\.value)),
                    ])))
        }
        return objects
    }
}
