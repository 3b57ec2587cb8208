// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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

extension MimeTypes {
    /// The built-in table, for machines without the freedesktop database.
    static let builtIn = MimeTypes(
        byName: ["makefile": "text/x-makefile", "readme": "text/x-readme", "copying": "text/x-copying"],
        bySuffix: [
            "7z": "application/x-7z-compressed", "avif": "image/avif", "bz2": "application/x-bzip", "c": "text/x-csrc",
            "conf": "text/plain", "cpp": "text/x-c++src", "css": "text/css", "csv": "text/csv",
            "deb": "application/vnd.debian.binary-package", "desktop": "application/x-desktop",
            "doc": "application/msword",
            "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
            "h": "text/x-chdr", "htm": "text/html", "html": "text/html", "iso": "application/x-cd-image",
            "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
            "log": "text/x-log", "m4a": "audio/mp4", "md": "text/markdown", "mkv": "video/x-matroska",
            "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
            "odp": "application/vnd.oasis.opendocument.presentation",
            "ods": "application/vnd.oasis.opendocument.spreadsheet",
            "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "opus": "audio/ogg",
            "otf": "font/otf", "pdf": "application/pdf", "png": "image/png", "py": "text/x-python",
            "rs": "text/rust", "rtf": "application/rtf", "sh": "application/x-shellscript",
            "so": "application/x-sharedlib",
            "sql": "application/sql", "svg": "image/svg+xml", "swift": "text/x-swift", "tar": "application/x-tar",
            "tar.gz": "application/x-compressed-tar", "tar.xz": "application/x-xz-compressed-tar",
            "tgz": "application/x-compressed-tar", "tif": "image/tiff", "tiff": "image/tiff",
            "toml": "application/toml",
            "ttf": "font/ttf", "txt": "text/plain", "wav": "audio/x-wav", "webm": "video/webm", "webp": "image/webp",
            "xls": "application/vnd.ms-excel",
            "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
            "xz": "application/x-xz", "yaml": "application/x-yaml", "yml": "application/x-yaml",
            "zip": "application/zip", "zst": "application/zstd",
        ],
        genericIcons: [
            "application/gzip": "package-x-generic", "application/pdf": "x-office-document",
            "application/x-compressed-tar": "package-x-generic", "application/x-shellscript": "text-x-script",
            "application/x-tar": "package-x-generic", "application/zip": "package-x-generic",
            "application/vnd.debian.binary-package": "package-x-generic",
        ])
}

extension MimeTypes {
    /// Returns the types of this machine's freedesktop database, or the built-in ones if there is none.
    static func installed(in directory: String = "/usr/share/mime") -> MimeTypes {
        guard let globs = textFile("\(directory)/globs2") else { return .builtIn }
        return MimeTypes(globs: globs, genericIcons: textFile("\(directory)/generic-icons") ?? "")
    }

    /// Parses the files of the database (Shared MIME-info Database, "The glob files" and "The generic-icons
    /// files").
    ///
    /// Only whole names and `*.suffix` are read; the about a dozen types with other patterns matter little here. If
    /// a suffix has several types, the first one counts, because the file is sorted by weight.
    init(globs: String, genericIcons: String) {
        var names: [String: String] = [:]
        var suffixes: [String: String] = [:]
        for line in globs.utf8.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 3).compactMap { String($0) }
            guard parts.count >= 3 else { continue }
            let glob = parts[2].lowercased()
            let isSuffix = glob.hasPrefix("*.")
            let text = isSuffix ? String(glob.dropFirst(2)) : glob
            guard !text.isEmpty, !text.contains(where: { "*?[".contains($0) }) else { continue }
            if isSuffix {
                if suffixes[text] == nil { suffixes[text] = parts[1] }
            } else if names[text] == nil {
                names[text] = parts[1]
            }
        }
        var icons: [String: String] = [:]
        for line in genericIcons.split(separator: "\n") {
            let parts = line.split(separator: ":")
            if parts.count == 2 { icons[String(parts[0])] = String(parts[1]) }
        }
        self.init(byName: names, bySuffix: suffixes, genericIcons: icons)
    }

    /// Returns the content of a small file, or `nil` if it cannot be read.
    private static func textFile(_ path: String) -> String? {
        // The stream is closed below; the buffer has the passed length.
        guard let stream = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(stream) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, stream) }
            guard count > 0 else { return String(decoding: content, as: UTF8.self) }
            content += buffer.prefix(count)
        }
    }
}
