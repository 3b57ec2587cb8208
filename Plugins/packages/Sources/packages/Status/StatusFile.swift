// SPDX-License-Identifier: Apache-2.0

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
