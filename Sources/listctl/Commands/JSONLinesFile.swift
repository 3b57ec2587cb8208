// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// A file of objects, one on each line, for `push` and `append`.
struct JSONLinesFile {
    /// An object whose id an earlier line has.
    struct Duplicate: Equatable {
        let id: String
        let line: Int
        let firstLine: Int
    }

    private struct Line {
        /// Counted from 1, with empty ones, as editors do.
        let number: Int
        let bytes: Data
    }

    private let name: String
    private let lines: [Line]

    /// Reads a file; `-` is standard input.
    init(_ file: String) throws(InputFile.Failure) {
        self.init(file, try InputFile.bytes(of: try InputFile.open(file), named: file))
    }

    /// The lines of an open file from its start; it stays open.
    init(_ name: String, rereading file: FileDescriptor) throws(InputFile.Failure) {
        _ = lseek(file.rawValue, 0, SEEK_SET)
        self.init(name, try InputFile.bytes(of: dup(file.rawValue), named: name))
    }

    /// The lines of a file that was read already, without empty ones.
    init(_ file: String, _ bytes: Data) {
        name = file
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { Line(number: $0.offset + 1, bytes: $0.element) }
            .filter { line in line.bytes.contains { $0 > 0x20 } }
    }

    var count: Int { lines.count }
    var places: Range<Int> { lines.indices }
    /// The length of a line, in bytes.
    func size(_ place: Int) -> Int { lines[place].bytes.count }

    /// The object on a line.
    ///
    /// - Throws: `InvalidArgs` naming the file and the line.
    func object(_ place: Int) throws(DBusError) -> MirroredObject {
        let bytes = lines[place].bytes
        guard let value = try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed) else {
            throw fault(place, "malformed JSON")
        }
        guard let members = value as? [String: Any] else { throw fault(place, "not a JSON object") }
        if let unknown = members.keys.first(where: { !Self.keys.contains($0) }) {
            throw fault(place, Self.explained("unknown key \"\(unknown.prefix(64))\""))
        }
        guard let id = Self.member("id", of: members) else { throw fault(place, "the object has no id") }
        guard let id = id as? String else { throw fault(place, "id is not a string") }
        let type = Self.member("type", of: members) ?? ""
        guard let type = type as? String else { throw fault(place, "type is not a string") }
        if let fields = Self.member("fields", of: members), !(fields is [String: Any]) {
            throw fault(place, "fields is not an object")
        }
        do throws(JSONReader.Fault) {
            return MirroredObject(id: id, type: type, fields: try Self.fields(of: bytes))
        } catch {
            throw fault(place, "malformed JSON")
        }
    }

    /// Null has the same meaning as a missing key.
    private static func member(_ key: String, of members: [String: Any]) -> Any? {
        members[key].flatMap { $0 is NSNull ? nil : $0 }
    }

    private static func fields(of line: Data) throws(JSONReader.Fault) -> Content {
        var fields: [Content.Element] = []
        var reader = JSONReader(line)
        try reader.members { (reader, key) throws(JSONReader.Fault) in
            let value = try reader.value()
            guard key == "fields", case .dictionary(_, _, let entries)? = value else { return }
            fields = entries.compactMap { entry in
                guard case .string(let key) = entry.key else { return nil }
                return (key: key, value: entry.value.unwrapped)
            }
        }
        return Content(fields)
    }

    private static let keys: Set = ["id", "type", "fields", JSONMember.section]

    /// listd's message about a line, after the file's name, as compilers write it.
    func located(_ error: DBusError) -> DBusError { Self.located(error, in: name) }

    static func located(_ error: DBusError, in name: String) -> DBusError {
        guard let match = error.message.wholeMatch(of: /line ([0-9]+): (.*)/.dotMatchesNewlines()) else { return error }
        return DBusError(name: error.name, message: "\(name):\(match.1): \(explained(String(match.2)))")
    }

    private static func explained(_ message: String) -> String {
        guard message.hasPrefix("unknown key ") else { return message }
        return message + "; what a program keeps in an object is in \"fields\""
    }

    private func fault(_ place: Int, _ message: String) -> DBusError {
        .invalidArgs("\(name):\(lines[place].number): \(message)")
    }

    /// The ids of all objects, without lines that cannot be read, which listd will refuse.
    var ids: Set<String> { Set(places.compactMap { try? object($0).id }) }

    /// The objects whose id an earlier line has, without lines that cannot be read.
    var duplicates: [Duplicate] { duplicates(amongIDs: places.map { try? object($0).id }) }

    /// The objects whose id an earlier line has, from the ids of all lines.
    func duplicates(amongIDs ids: [String?]) -> [Duplicate] {
        var lineOfID: [[UInt8]: Int] = [:]
        return zip(places, ids).compactMap { place, id in
            guard let id else { return nil }
            let number = lines[place].number
            guard let first = lineOfID[Array(id.utf8)] else {
                lineOfID[Array(id.utf8)] = number
                return nil
            }
            return Duplicate(id: id, line: number, firstLine: first)
        }
    }

    /// Reports ids that occur twice, and what happened to the later ones; of many, the first few.
    func complain(about duplicates: [Duplicate], _ outcome: String) {
        for one in duplicates.prefix(Self.mostComplaints) {
            Output.complain(
                "\(name):\(one.line): “\(one.id)” is on line \(one.firstLine) already; this one \(outcome)")
        }
        let more = duplicates.count - Self.mostComplaints
        if more > 0 { Output.complain("\(name): \(more) more lines have an id for the second time") }
    }

    private static let mostComplaints = 5

    /// The file without the section numbers that `show --json` writes at the start of each object.
    var withoutSections: Data {
        var bytes = Data()
        var number = 1
        for line in lines {
            // The number of line ends stays, so that line numbers in listd's messages are right for the file.
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: line.number - number))
            bytes.append(JSONMember.removing(JSONMember.section, from: line.bytes))
            number = line.number
        }
        return bytes
    }
}
