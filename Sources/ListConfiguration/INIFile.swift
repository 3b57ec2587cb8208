// SPDX-License-Identifier: Apache-2.0

internal import CInih

/// The settings of one INI file, in the order of the file.
///
/// inih parses: `[Section]`, `Key=value` (or `Key: value`), comments by `#` or `;` at the start of a line; space around
/// keys and values does not count.
struct INIFile {
    /// One `Key=value` line.
    struct Setting: Equatable {
        var section: String
        var key: String
        var value: String
        /// Counted from 1.
        var line: Int
    }

    /// The valid lines.
    private(set) var settings: [Setting] = []
    /// The invalid lines, each with its error.
    private(set) var faults: [(line: Int, message: String)] = []

    /// Parses the bytes of a file; keeps every error and every valid line.
    init(parsing bytes: [UInt8]) {
        var parse = Parse(bytes: bytes)
        let firstFault = unsafe withUnsafeMutablePointer(to: &parse) { pointer in
            // inih calls back during the call only, from this thread; nobody else has the pointer.
            unsafe listd_ini_parse(Parse.nextLine, pointer, Parse.handle, pointer)
        }
        if firstFault > 0, !parse.faults.contains(where: { $0.line == Int(firstFault) }) {
            parse.faults.append((Int(firstFault), "neither [Section] nor Key=value"))
        } else if firstFault < 0 {
            parse.faults.append((0, "not enough memory"))
        }
        settings = parse.settings
        faults = parse.faults.sorted { $0.line < $1.line }
    }
}

/// The state of inih's callbacks during parsing.
private struct Parse {
    let bytes: [UInt8]
    var position = 0
    var line = 0
    var settings: [INIFile.Setting] = []
    var faults: [(line: Int, message: String)] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next line to inih like `fgets`; a line that it could not parse becomes an empty one and an error.
    static let nextLine: ini_reader = { buffer, size, stream in
        guard let buffer = unsafe buffer, let parse = unsafe stream?.assumingMemoryBound(to: Parse.self) else {
            return nil
        }
        return unsafe parse.pointee.copyNextLine(to: buffer, size: Int(size)) ? buffer : nil
    }

    static let handle: ini_handler = { user, section, name, value in
        guard let parse = unsafe user?.assumingMemoryBound(to: Parse.self), let section = unsafe section,
            let name = unsafe name
        else { return 0 }
        unsafe parse.pointee.add(
            section: String(cString: section), key: String(cString: name),
            value: value.map { unsafe String(cString: $0) })
        return 1
    }

    private mutating func copyNextLine(to buffer: UnsafeMutablePointer<CChar>, size: Int) -> Bool {
        guard position < bytes.count, size > 1 else { return false }
        line += 1
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var text = bytes[position..<end]
        position = min(end + 1, bytes.count)
        if text.count > size - 2 {
            faults.append((line, "longer than \(size - 2) bytes"))
            text = []
        } else if text.contains(0) || String(validating: text, as: UTF8.self) == nil {
            faults.append((line, "not text in UTF-8"))
            text = []
        }
        for (offset, byte) in text.enumerated() { unsafe buffer[offset] = CChar(bitPattern: byte) }
        unsafe buffer[text.count] = CChar(bitPattern: UInt8(ascii: "\n"))
        unsafe buffer[text.count + 1] = 0
        return true
    }

    private mutating func add(section: String, key: String, value: String?) {
        if section.isEmpty {
            faults.append((line, "\(key) stands before the first [Section]"))
        } else if section.utf8.count >= Int(listd_ini_section_length) {
            faults.append((line, "[\(section)…] is longer than \(listd_ini_section_length - 1) bytes"))
        } else if let value {
            settings.append(INIFile.Setting(section: section, key: key, value: value, line: line))
        } else {
            faults.append((line, "\(key) has no value: neither [Section] nor Key=value"))
        }
    }
}
