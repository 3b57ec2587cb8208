// SPDX-License-Identifier: Apache-2.0

/// Finds a file's MIME type by its name, and the icon that freedesktop themes have for it.
///
/// Where the freedesktop shared MIME database is not installed, a small built-in table is used.
struct MimeTypes: Sendable {
    private let byName: [String: String]
    private let bySuffix: [String: String]
    private let genericIcons: [String: String]

    /// Creates a table from lowercase file names, and from lowercase suffixes without their first dot.
    init(byName: [String: String] = [:], bySuffix: [String: String], genericIcons: [String: String] = [:]) {
        self.byName = byName
        self.bySuffix = bySuffix
        self.genericIcons = genericIcons
    }

    /// Returns the type of a file name: that of its longest known suffix, else `application/octet-stream`.
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

    /// Returns the name of a type's icon in themes: the type with `-` in place of `/` (Icon Naming Specification,
    /// "MIME types").
    func icon(forType type: String) -> String {
        String(type.map { $0 == "/" ? "-" : $0 })
    }

    /// Returns the name of the icon for themes that lack the type's own icon, such as `text-x-generic`.
    func genericIcon(forType type: String) -> String {
        if let icon = genericIcons[type] { return icon }
        switch type {
        case "inode/directory": return "folder"
        // No theme has an icon for unknown files; file managers show a blank page.
        case "application/octet-stream": return "text-x-generic"
        default: return "\(type.prefix { $0 != "/" })-x-generic"
        }
    }
}
