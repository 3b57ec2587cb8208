// SPDX-License-Identifier: Apache-2.0

internal import CInih

/// The settings of an INI file, in the order of the file.
///
/// The file is parsed by inih: `[Section]`, `Key=value` (or `Key: value`), and comments that begin with `#` or `;` at
/// the start of a line. Spaces around keys and values are ignored.
struct INIFile {
    /// A line of the form `Key=value`.
    struct Setting: Equatable {
        var section: String
        var key: String
        var value: String
        /// The line number, counted from 1.
        var line: Int
    }

    /// The valid lines.
    private(set) var settings: [Setting] = []
    /// The invalid lines, each with its error.
    private(set) var faults: [(line: Int, message: String)] = []

    /// Parses the bytes of a file. All errors and all valid lines are kept.
    init(parsing bytes: [UInt8]) {
        var parse = Parse(bytes: bytes)
        let firstFault = unsafe withUnsafeMutablePointer(to: &parse) { pointer in
            // inih uses the pointer only during this call and on this thread, and nobody else has it.
            unsafe listd_ini_parse(Parse.nextLine, pointer, Parse.handle, pointer)
        }
        if firstFault > 0, !parse.faults.contains(where: { $0.line == Int(firstFault) }) {
            parse.faults.append((Int(firstFault), "the line is neither [Section] nor Key=value"))
        } else if firstFault < 0 {
            parse.faults.append((0, "there is not enough memory"))
        }
        settings = parse.settings
        faults = parse.faults.sorted { $0.line < $1.line }
    }
}

/// The state that inih's callbacks share during parsing.
private struct Parse {
    let bytes: [UInt8]
    var position = 0
    var line = 0
    var settings: [INIFile.Setting] = []
    var faults: [(line: Int, message: String)] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Passes the next line to inih, like `fgets`. A line that inih could not parse is passed as an empty line and
    /// recorded as an error.
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

    /// Copies the next line and a NUL into the buffer; returns `false` if no line is left.
    private mutating func copyNextLine(to buffer: UnsafeMutablePointer<CChar>, size: Int) -> Bool {
        guard position < bytes.count, size > 1 else { return false }
        line += 1
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var text = bytes[position..<end]
        position = min(end + 1, bytes.count)
        if text.count > size - 2 {
            faults.append((line, "the line is longer than \(size - 2) bytes"))
            text = []
        } else if text.contains(0) || String(validating: text, as: UTF8.self) == nil {
            faults.append((line, "the line is not UTF-8 text"))
            text = []
        }
        for (offset, byte) in text.enumerated() { unsafe buffer[offset] = CChar(bitPattern: byte) }
        unsafe buffer[text.count] = CChar(bitPattern: UInt8(ascii: "\n"))
        unsafe buffer[text.count + 1] = 0
        return true
    }

    private mutating func add(section: String, key: String, value: String?) {
        if section.isEmpty {
            faults.append((line, "the key \(key) precedes the first [Section]"))
        } else if section.utf8.count >= Int(listd_ini_section_length) {
            faults.append((line, "the section name [\(section)…] is longer than \(listd_ini_section_length - 1) bytes"))
        } else if let value {
            settings.append(INIFile.Setting(section: section, key: key, value: value, line: line))
        } else {
            faults.append((line, "\(key) has no value; the line is neither [Section] nor Key=value"))
        }
    }
}
