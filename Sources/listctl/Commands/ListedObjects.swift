import DBus
import Foundation
import ListClient

/// All objects of a list at one revision, however fast it changes: the lines that listd writes into a file at once.
struct ListedObjects {
    private let lines: [Data]

    /// Reads a list.
    ///
    /// - Throws: what the call throws; `failed` when the file cannot be read.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        let (_, _, file) = try await adapter.call(
            "GetObjectsByFileDescriptor", UInt32(0), UInt32.max, "jsonl", returning: UInt64.self, UInt32.self,
            FileDescriptor.self, timeout: .seconds(3600))
        do {
            // The file stays the descriptor's, which lives until it is read.
            let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
            try handle.seek(toOffset: 0)
            lines = (try handle.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
        } catch {
            throw .failed("the objects of the list cannot be read: \(error.localizedDescription)")
        }
    }

    /// Each object as JSON with its section, as listd wrote it: nothing is lost on the way.
    func printJSON() {
        for (section, line) in lines.enumerated() {
            Output.line("{\"section\":\(section)," + String(decoding: line.dropFirst(), as: UTF8.self))
        }
    }

    /// Each object on a line for people.
    ///
    /// - Throws: `failed` when a line is none of listd's.
    func printText() throws(DBusError) {
        let decoder = JSONDecoder()
        for line in lines {
            do {
                let object = try decoder.decode(ListedObject.self, from: line)
                Output.line(ChangeLine.text(of: object.mirrored))
            } catch {
                throw .failed("listd wrote an object that cannot be read: \(error)")
            }
        }
    }
}

/// An object as a line has it.
private struct ListedObject: Decodable {
    let id: String
    let type: String
    let fields: [String: Field]

    var mirrored: MirroredObject {
        let values = fields.compactMap { key, field in field.value.map { (key: key, value: $0) } }
        return MirroredObject(id: id, type: type, fields: Content(values))
    }

    /// A value that fits into a line; nil for containers and null.
    struct Field: Decodable {
        let value: DBusValue?

        init(from decoder: any Decoder) throws {
            value = (try? decoder.singleValueContainer()).flatMap(Self.value)
        }

        private static func value(in container: any SingleValueDecodingContainer) -> DBusValue? {
            if let text = try? container.decode(String.self) { return .string(text) }
            if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
            if let number = try? container.decode(Int64.self) { return .int64(number) }
            if let number = try? container.decode(UInt64.self) { return .uint64(number) }
            if let number = try? container.decode(Double.self) { return .double(number) }
            return nil
        }
    }
}
