// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
