// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient

/// All objects of a list at one revision.
///
/// listd writes them as lines of JSON to a file in a single call, so a list that changes all the time can be read too.
struct ListedObjects {
    /// The revision of the objects.
    let revision: UInt64
    private let lines: [Data]

    /// Reads the objects of a list.
    ///
    /// - Throws: the error of the call; `failed` when the file cannot be read.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        let (_, revision, _, file) = try await adapter.call(
            "GetObjectsByFileDescriptor", UInt32(0), UInt32.max, "jsonl", returning: String.self, UInt64.self,
            UInt32.self,
            FileDescriptor.self, timeout: .seconds(3600))
        self.revision = revision
        do {
            // `file` owns the descriptor, and is alive until everything has been read.
            let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
            try handle.seek(toOffset: 0)
            lines = (try handle.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
        } catch {
            throw .failed("the objects of the list cannot be read: \(error.localizedDescription)")
        }
    }

    /// Prints the JSON of each object as listd wrote it, with the object's section added and control characters
    /// escaped.
    func printJSON() {
        for (section, line) in lines.enumerated() {
            let members = JSONLine.sanitized(String(decoding: line.dropFirst(), as: UTF8.self))
            Output.writeLine("{\"section\":\(section)," + members)
        }
    }

    static let columns: [TextTable.Column] = [.init(title: "ID", role: { _ in .name }), .init(title: "TYPE")]

    /// The objects as rows of text.
    var rows: ListedRows {
        ListedRows(count: lines.count) { place throws(DBusError) in
            do throws(JSONReader.Fault) {
                let object = try MirroredObject(jsonl: lines[place])
                return ContentTable.Row(leading: [object.id, object.type], content: object.fields)
            } catch {
                throw .failed("listd wrote an object that cannot be read")
            }
        }
    }
}

extension MirroredObject {
    /// Reads an object from a line that listd wrote. Fields that are null are left out.
    init(jsonl line: some Sequence<UInt8>) throws(JSONReader.Fault) {
        var (id, type, fields): (String?, String?, [Content.Element]) = (nil, nil, [])
        var reader = JSONReader(line)
        try reader.readMembers { (reader, key) throws(JSONReader.Fault) in
            switch key {
            case "id": id = try reader.readString()
            case "type": type = try reader.readString()
            case "fields":
                try reader.readMembers { (reader, key) throws(JSONReader.Fault) in
                    if let value = try reader.readValue() { fields.append((key: key, value: value)) }
                }
            default: throw JSONReader.Fault()
            }
        }
        guard let id, let type else { throw JSONReader.Fault() }
        self.init(id: id, type: type, fields: Content(fields))
    }
}
