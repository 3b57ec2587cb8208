// SPDX-License-Identifier: Apache-2.0

/// The content of dpkg's status file: stanzas of fields with empty lines between them (deb822(5)).
///
/// No content is an error: a line that is no field is skipped, a stanza without a package or its state is counted, and
/// bytes that are not UTF-8 read as `U+FFFD`.
struct StatusFile {
    /// The packages in the order of the file; the last of repeated ones counts.
    private(set) var packages: [Package] = []
    /// How many stanzas have no package or no state.
    private(set) var unreadableCount = 0
    /// The line on which the first of these begins.
    private(set) var firstUnreadableLine: Int?

    private var places: [String: Int] = [:]

    /// Reads a file's content.
    init(_ bytes: [UInt8]) {
        var stanza = Stanza(line: 1)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy(\.isBlank) {
                finish(stanza)
                stanza = Stanza(line: number + 1)
            } else {
                stanza.parse(line)
            }
        }
        finish(stanza)
    }

    private mutating func finish(_ stanza: Stanza) {
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

/// The fields of one stanza that are used here.
private struct Stanza {
    private static let wanted: Set = [
        "package", "architecture", "version", "description", "section", "installed-size", "status",
    ]

    /// The line on which it begins.
    let line: Int
    private(set) var isEmpty = true
    private var fields: [String: String] = [:]

    init(line: Int) { self.line = line }

    /// Parses a line; continuation lines, which begin with a blank, are skipped.
    mutating func parse(_ line: ArraySlice<UInt8>) {
        isEmpty = false
        guard line.first?.isBlank == false, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard Self.wanted.contains(key), fields[key] == nil else { return }
        fields[key] = Self.text(line[(colon + 1)...])
    }

    /// Without blanks at its ends; NUL, which a string on a bus must not contain, reads as `U+FFFD`.
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
