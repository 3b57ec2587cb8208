// SPDX-License-Identifier: Apache-2.0

import CLinux
import DBus
import Foundation
import Glibc
import ListClient
import ListJSON

/// Functions that read a file that is an argument of a command. `-` names standard input.
enum InputFile {
    /// The name of the error for a file that cannot be read.
    static let notReadable = "org.listd.Listctl.Error.NotReadable"

    /// Returns the error for a file that cannot be read.
    static func unreadable(_ message: String) -> DBusError { DBusError(name: notReadable, message: message) }

    /// Opens a file for reading; returns its descriptor.
    static func open(_ file: String) throws(DBusError) -> Int32 {
        // Swift passes a copy of the path.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard let fault = errorNumber(ofReading: descriptor) else { return descriptor }
        throw unreadable("\(file): \(SystemError.text(fault))")
    }

    /// Reads an open file from its offset to its end, and closes it.
    static func bytes(of descriptor: Int32, named file: String) throws(DBusError) -> Data {
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw unreadable("\(file): \(error.localizedDescription)")
        }
    }

    /// Returns a file that can be read several times. For a pipe or socket, that is a copy of its bytes in memory,
    /// else the file itself.
    static func rereadable(_ source: FileDescriptor, named file: String) throws(DBusError) -> FileDescriptor {
        var status = stat()
        // The kernel fills in the status.
        guard unsafe fstat(source.rawValue, &status) == 0 else {
            throw unreadable("\(file): \(SystemError.text(errno))")
        }
        guard [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return source }
        let copy = try emptyMemoryFile(named: file)
        var (buffer, size) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while true {
            // The buffer is a local variable, which the C library fills.
            let count = unsafe read(source.rawValue, &buffer, buffer.count)
            if count == 0 { return copy }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unreadable("\(file): \(SystemError.text(errno))") }
            size += count
            guard size <= maximumBytes else {
                throw unreadable("\(file): the input is longer than \(maximumBytes >> 20) MiB")
            }
            try write(Data(buffer.prefix(count)), to: copy, named: file)
        }
    }

    /// The maximum number of bytes that are read from a pipe, so that an endless pipe does not fill the memory. listd
    /// reads no file that is as long as that.
    private static let maximumBytes = 1 << 30

    /// Returns a file in memory that contains the given bytes.
    static func memoryFile(containing bytes: Data, named file: String) throws(DBusError) -> FileDescriptor {
        let copy = try emptyMemoryFile(named: file)
        try write(bytes, to: copy, named: file)
        return copy
    }

    private static func emptyMemoryFile(named file: String) throws(DBusError) -> FileDescriptor {
        let descriptor = unsafe listd_memfd("listctl")  // the name is copied
        guard descriptor >= 0 else { throw unreadable("\(file): \(SystemError.text(errno))") }
        return FileDescriptor(adopting: descriptor)
    }

    private static func write(_ bytes: Data, to file: FileDescriptor, named name: String) throws(DBusError) {
        do {
            try FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false).write(contentsOf: bytes)
        } catch {
            throw unreadable("\(name): \(error.localizedDescription)")
        }
    }

    /// Returns the `errno` that says why an opened file cannot be read; `nil` when it can be read.
    ///
    /// Opening a directory succeeds, so directories are rejected here. So is a closed standard input, which
    /// `StandardDescriptor.openMissing` has replaced by a descriptor for writing only.
    private static func errorNumber(ofReading descriptor: Int32) -> Int32? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return errno }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY ? EBADF : nil
    }
}

/// A file of objects, one on each line, for `push` and `append`.
struct JSONLinesFile {
    /// An object with the same id as an object on an earlier line.
    typealias Duplicate = (id: String, line: Int, firstLine: Int)

    private let name: String
    /// The lines with their numbers, which count from 1 and include empty lines, as in editors.
    private let lines: [(number: Int, bytes: Data)]

    /// Reads a file; `-` is standard input.
    init(_ file: String) throws(DBusError) {
        self.init(file, try InputFile.bytes(of: try InputFile.open(file), named: file))
    }

    /// Reads an open file from its start. The file stays open.
    init(_ name: String, rereading file: FileDescriptor) throws(DBusError) {
        _ = lseek(file.rawValue, 0, SEEK_SET)
        self.init(name, try InputFile.bytes(of: dup(file.rawValue), named: name))
    }

    /// Splits the bytes of a file into lines, without empty lines.
    init(_ file: String, _ bytes: Data) {
        name = file
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { (number: $0.offset + 1, bytes: $0.element) }
            .filter { line in line.bytes.contains { $0 > 0x20 } }
    }

    var count: Int { lines.count }
    var indices: Range<Int> { lines.indices }
    /// Returns the length of a line in bytes.
    func byteCount(at index: Int) -> Int { lines[index].bytes.count }

    /// Returns the object on a line. Of repeated members, the last one counts; null is the same as a missing member.
    ///
    /// - Throws: `InvalidArgs`, with the file and the line in the message.
    func object(at index: Int) throws(DBusError) -> MirroredObject {
        do throws(JSONFault) {
            return try JSONFault.reading(lines[index].bytes) { tape throws(JSONFault) in try Self.object(of: tape) }
        } catch {
            throw .invalidArgs("\(name):\(lines[index].number): \(error.reason)")
        }
    }

    private static func object(of tape: JSONTape) throws(JSONFault) -> MirroredObject {
        guard case .object = tape.node(at: JSONTape.root) else { throw JSONFault("the line is not a JSON object") }
        var (id, type, fields, unknown): (Int?, Int?, Int?, String?) = (nil, nil, nil, nil)
        tape.forEachMember(ofObjectAt: JSONTape.root) { key, value in
            let place = tape.isNull(at: value) ? nil : value
            switch tape.text(at: key) {
            case "id": id = place
            case "type": type = place
            case "fields": fields = place
            case section: break
            case let other: unknown = unknown ?? other
            }
        }
        if let unknown { throw JSONFault(addingHint(to: "unknown key “\(unknown.prefix(64))”")) }
        guard let id else { throw JSONFault("the object has no id") }
        guard case .string = tape.node(at: id) else { throw JSONFault("id is not a string") }
        if let type {
            guard case .string = tape.node(at: type) else { throw JSONFault("type is not a string") }
        }
        if let fields {
            guard case .object = tape.node(at: fields) else { throw JSONFault("fields is not an object") }
        }
        return MirroredObject(
            id: tape.text(at: id), type: type.map { tape.text(at: $0) } ?? "",
            fields: fields.map { tape.fields(ofObjectAt: $0) } ?? [:])
    }

    /// The key with the object's section, which `show --json` adds to each object.
    static let section = "section"

    /// Returns listd's error with `FILE:LINE:` before the message, as compilers write it, if the message names a line.
    static func addingLocation(to error: DBusError, in name: String) -> DBusError {
        guard let match = error.message.wholeMatch(of: /line ([0-9]+): (.*)/.dotMatchesNewlines()) else { return error }
        return DBusError(name: error.name, message: "\(name):\(match.1): \(addingHint(to: String(match.2)))")
    }

    private static func addingHint(to message: String) -> String {
        guard message.hasPrefix("unknown key ") else { return message }
        return message + "; a program's own data belongs in “fields”"
    }

    /// The ids of all objects. Lines that cannot be read are left out, as listd will refuse them.
    var ids: Set<String> { Set(indices.compactMap { try? object(at: $0).id }) }

    /// The objects with the same id as an object on an earlier line. Lines that cannot be read are left out.
    var duplicates: [Duplicate] { duplicates(amongIDs: indices.map { try? object(at: $0).id }) }

    /// Returns the objects with the same id as an object on an earlier line.
    ///
    /// - Parameter ids: the id on each line; nil for a line that cannot be read.
    func duplicates(amongIDs ids: [String?]) -> [Duplicate] {
        var lineOfID: [[UInt8]: Int] = [:]
        return zip(indices, ids).compactMap { index, id in
            guard let id else { return nil }
            let number = lines[index].number
            guard let first = lineOfID[Array(id.utf8)] else {
                lineOfID[Array(id.utf8)] = number
                return nil
            }
            return (id, number, first)
        }
    }

    /// Prints a message for each of the first few duplicates, and how many more there are.
    ///
    /// - Parameter outcome: what happened to the object on the later line, as the end of a sentence.
    func reportDuplicates(_ duplicates: [Duplicate], outcome: String) {
        for duplicate in duplicates.prefix(Self.maximumReports) {
            let place = "\(name):\(duplicate.line)"
            Output.printMessage(
                "\(place): the id “\(duplicate.id)” is already on line \(duplicate.firstLine); this object \(outcome)")
        }
        let more = duplicates.count - Self.maximumReports
        if more > 0 { Output.printMessage("\(name): \(more) more lines repeat the id of an earlier line") }
    }

    private static let maximumReports = 5

    /// The bytes of the file without the member “section”, which `show --json` writes in each object.
    var withoutSections: Data {
        var bytes = Data()
        var number = 1
        for line in lines {
            // Empty lines stay, so that the line numbers in listd's messages are right for the file.
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: line.number - number))
            // What is no object stays unchanged; listd reports the error.
            let kept = try? JSONLine(line.bytes, without: Self.section)
            bytes.append(kept.map { Data($0.text.utf8) } ?? line.bytes)
            number = line.number
        }
        return bytes
    }
}

extension Content {
    /// Creates the fields that `KEY=VALUE` words describe. A value that is valid JSON is read as JSON; any other value is
    /// text.
    ///
    /// - Throws: a `UsageError` for a word without a key, and for a value that is null.
    init(words: [String]) throws(UsageError) {
        var fields: [Content.Element] = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw UsageError(message: "“\(word)” is not KEY=VALUE")
            }
            let (key, text) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
            guard let value = Self.value(of: text) else {
                throw UsageError(
                    message: "“\(word)”: a field cannot be null; leave it out, or use patch --unset \(key)")
            }
            fields.append((key: key, value: value))
        }
        self.init(fields)
    }

    private static func value(of text: String) -> DBusValue? {
        // JSON allows blanks around a value, but a value with blanks at its start or end is meant as text.
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else { return .string(text) }
        do throws(JSONFault) {
            return try JSONFault.reading(text.utf8) { tape in DBusValue(tape, at: JSONTape.root) }
        } catch {
            return .string(text)
        }
    }
}

extension Command {
    /// The paragraph about fields for the help of commands that take them.
    static let fieldWords =
        "A VALUE that is valid JSON, such as 5, true, [1,2] or \"5\", is that JSON value; any other VALUE is text, "
        + "as in subject=Hello."
}
