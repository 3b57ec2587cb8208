// SPDX-License-Identifier: Apache-2.0

/// Finds a file's MIME type by its name, and the icon that freedesktop themes have for it.
///
/// The freedesktop shared MIME database is used where it is installed, and a small table of our own where it is not.
struct MimeTypes: Sendable {
    private let byName: [String: String]
    private let bySuffix: [String: String]
    private let genericIcons: [String: String]

    /// A table from whole names and from suffixes without their first dot, both in small letters.
    init(byName: [String: String] = [:], bySuffix: [String: String], genericIcons: [String: String] = [:]) {
        self.byName = byName
        self.bySuffix = bySuffix
        self.genericIcons = genericIcons
    }

    /// The type of a file; the longest suffix that is known wins, and `application/octet-stream` if none is.
    func type(forName name: String) -> String {
        let name = name.lowercased()
        if let type = byName[name] { return type }
        var rest = Substring(name)
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = bySuffix[String(rest)] { return type }
        }
        return "application/octet-stream"
    }

    /// The icon's name in themes: the type with `-` in place of `/` (Icon Naming Specification, "MIME types").
    func icon(forType type: String) -> String {
        String(type.map { $0 == "/" ? "-" : $0 })
    }

    /// The icon for themes that lack the exact one, as `text-x-generic`.
    func genericIcon(forType type: String) -> String {
        if let icon = genericIcons[type] { return icon }
        switch type {
        case "inode/directory": return "folder"
        // No theme has an icon for files of which nothing is known; file managers show a blank page.
        case "application/octet-stream": return "text-x-generic"
        default: return "\(type.prefix { $0 != "/" })-x-generic"
        }
    }
}
