// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// A file of objects, one on each line, for `push` and `append`.
struct JSONLinesFile {
    /// An object with the same id as an object on an earlier line.
    struct Duplicate: Equatable {
        let id: String
        let line: Int
        let firstLine: Int
    }

    private struct Line {
        /// The line number, counted from 1 and including empty lines, as in editors.
        let number: Int
        let bytes: Data
    }

    private let name: String
    private let lines: [Line]

    /// Reads a file; `-` is standard input.
    init(_ file: String) throws(InputFile.Failure) {
        self.init(file, try InputFile.bytes(of: try InputFile.open(file), named: file))
    }

    /// Reads an open file from its start. The file stays open.
    init(_ name: String, rereading file: FileDescriptor) throws(InputFile.Failure) {
        _ = lseek(file.rawValue, 0, SEEK_SET)
        self.init(name, try InputFile.bytes(of: dup(file.rawValue), named: name))
    }

    /// Splits the bytes of a file into lines, without empty lines.
    init(_ file: String, _ bytes: Data) {
        name = file
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { Line(number: $0.offset + 1, bytes: $0.element) }
            .filter { line in line.bytes.contains { $0 > 0x20 } }
    }

    var count: Int { lines.count }
    var indices: Range<Int> { lines.indices }
    /// Returns the length of a line in bytes.
    func byteCount(at index: Int) -> Int { lines[index].bytes.count }

    /// Returns the object on a line.
    ///
    /// - Throws: `InvalidArgs`, with the file and the line in the message.
    func object(at index: Int) throws(DBusError) -> MirroredObject {
        let bytes = lines[index].bytes
        guard let value = try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed) else {
            throw failure(at: index, "malformed JSON")
        }
        guard let members = value as? [String: Any] else { throw failure(at: index, "the line is not a JSON object") }
        if let unknown = members.keys.first(where: { !Self.keys.contains($0) }) {
            throw failure(at: index, Self.addingHint(to: "unknown key \"\(unknown.prefix(64))\""))
        }
        guard let id = Self.member("id", of: members) else { throw failure(at: index, "the object has no id") }
        guard let id = id as? String else { throw failure(at: index, "id is not a string") }
        let type = Self.member("type", of: members) ?? ""
        guard let type = type as? String else { throw failure(at: index, "type is not a string") }
        if let fields = Self.member("fields", of: members), !(fields is [String: Any]) {
            throw failure(at: index, "fields is not an object")
        }
        do throws(JSONReader.Fault) {
            return MirroredObject(id: id, type: type, fields: try Self.fields(of: bytes))
        } catch {
            throw failure(at: index, "malformed JSON")
        }
    }

    /// Returns the value of a key; nil when it is null, which means the same as a missing key.
    private static func member(_ key: String, of members: [String: Any]) -> Any? {
        members[key].flatMap { $0 is NSNull ? nil : $0 }
    }

    private static func fields(of line: Data) throws(JSONReader.Fault) -> Content {
        var fields: [Content.Element] = []
        var reader = JSONReader(line)
        try reader.readMembers { (reader, key) throws(JSONReader.Fault) in
            let value = try reader.readValue()
            guard key == "fields", case .dictionary(_, _, let entries)? = value else { return }
            fields = entries.compactMap { entry in
                guard case .string(let key) = entry.key else { return nil }
                return (key: key, value: entry.value.unwrapped)
            }
        }
        return Content(fields)
    }

    private static let keys: Set = ["id", "type", "fields", JSONMember.section]

    /// Returns listd's error with `FILE:LINE:` before the message, as compilers write it, if the message names a line.
    static func addingLocation(to error: DBusError, in name: String) -> DBusError {
        guard let match = error.message.wholeMatch(of: /line ([0-9]+): (.*)/.dotMatchesNewlines()) else { return error }
        return DBusError(name: error.name, message: "\(name):\(match.1): \(addingHint(to: String(match.2)))")
    }

    private static func addingHint(to message: String) -> String {
        guard message.hasPrefix("unknown key ") else { return message }
        return message + "; a program's own data belongs in \"fields\""
    }

    private func failure(at index: Int, _ message: String) -> DBusError {
        .invalidArgs("\(name):\(lines[index].number): \(message)")
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
            return Duplicate(id: id, line: number, firstLine: first)
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
            bytes.append(JSONMember.removing(JSONMember.section, from: line.bytes))
            number = line.number
        }
        return bytes
    }
}
