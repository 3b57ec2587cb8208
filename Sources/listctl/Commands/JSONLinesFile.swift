// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// A file of objects, one a line, as `push` and `append` take it.
struct JSONLinesFile {
    /// The file cannot be read.
    struct Failure: Error {
        let message: String
    }

    private let name: String
    private let lines: [Data]

    /// Reads a file; `-` is standard input.
    init(_ file: String) throws(Failure) {
        self.init(file, try Self.bytes(of: try Self.open(file), named: file))
    }

    /// The lines of a file that was read already.
    init(_ file: String, _ bytes: Data) {
        name = file
        lines = bytes.split(separator: UInt8(ascii: "\n")).filter { line in line.contains { $0 > 0x20 } }
    }

    var count: Int { lines.count }
    var places: Range<Int> { lines.indices }
    /// How long a line is, in bytes.
    func size(_ place: Int) -> Int { lines[place].count }

    /// The object on a line.
    ///
    /// - Throws: `InvalidArgs` naming the line.
    func object(_ place: Int) throws(DBusError) -> MirroredObject {
        do {
            let value = try JSONSerialization.jsonObject(with: lines[place])
            guard let members = value as? [String: Any], let id = members["id"] as? String else {
                throw CocoaError(.coderValueNotFound)
            }
            let known: Set = ["id", "type", "fields", Self.section]
            if let unknown = members.keys.first(where: { !known.contains($0) }) {
                throw DBusError.invalidArgs(
                    "\(name): object \(place + 1): unknown key “\(unknown.prefix(64))”; a list's own keys stand in \"fields\""
                )
            }
            // What JSON's spaces and order are is the library's to know; the reader gets it as listd writes it.
            let line = try JSONSerialization.data(withJSONObject: ["fields": members["fields"] ?? [String: Any]()])
            var fields: [Content.Element] = []
            var reader = JSONReader(line)
            try reader.members { (reader, _) throws(JSONReader.Fault) in
                try reader.members { (reader, key) throws(JSONReader.Fault) in
                    if let value = try reader.value() { fields.append((key: key, value: value)) }
                }
            }
            return MirroredObject(id: id, type: members["type"] as? String ?? "", fields: Content(fields))
        } catch let error as DBusError {
            throw error
        } catch {
            throw .invalidArgs("\(name): object \(place + 1) is not {\"id\": \"…\", \"type\": \"…\", \"fields\": {…}}")
        }
    }

    /// The key that `show --json` adds to each object, which says nothing of it.
    private static let section = "section"

    /// The ids of all objects; those of lines that cannot be read are left out, which listd will refuse.
    var ids: Set<String> { Set(places.compactMap { try? object($0).id }) }

    /// Opens a file for reading.
    static func open(_ file: String) throws(Failure) -> Int32 {
        // The path is copied for the call.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard let fault = readingFault(of: descriptor) else { return descriptor }
        throw Failure(message: "\(file): \(SystemError.text(fault))")
    }

    /// Reads an open file to its end, and closes it.
    static func bytes(of descriptor: Int32, named file: String) throws(Failure) -> Data {
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw Failure(message: "\(file): \(error.localizedDescription)")
        }
    }

    /// Why nothing can be read from what was opened, as an error number: directories open, too, and a closed standard
    /// input is kept by a descriptor for writing; `nil` = it can be read.
    private static func readingFault(of descriptor: Int32) -> Int32? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return errno }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY ? EBADF : nil
    }
}
