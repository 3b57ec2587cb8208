// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The kind of a file. The raw value is the field `kind` and the object's type.
enum FileKind: String, Sendable, CaseIterable {
    case file
    case directory
    case link
    case pipe
    case socket
    case device
}

/// The kind of a device. The raw value is the field `device`.
enum DeviceKind: String, Sendable {
    case character
    case block
}

/// A directory entry with its attributes.
struct FileEntry: Equatable, Sendable {
    /// Identifies a file independently of its name; a rename does not change it.
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
    }

    var path: EntryPath
    var identity: Identity
    var kind: FileKind
    /// The size in bytes; 0 for a directory, whose size means nothing to people.
    var size: UInt64
    /// The time of the last modification, in microseconds since 1970.
    var modified: Int64
    /// The type and permission bits, as in `st_mode` of stat(2).
    var mode: UInt32
    /// The user ID of the owner.
    var owner: UInt32
    /// The target of a symbolic link; `nil` for other files.
    var target: EntryPath?
    /// The kind of a device; `nil` for other files.
    var device: DeviceKind?
    /// Whether the entry is a directory of a recursive list that cannot be read.
    var isUnreadable = false

    /// Updates the path after a rename of the entry or of a directory above it.
    mutating func move(from old: EntryPath, to new: EntryPath) { path = path.moved(from: old, to: new) }
}

extension FileEntry {
    /// Hints for viewers on how to format the fields.
    static let hints: [String: FieldHint] = [
        "size": .bytes, "modified": .timeInMicroseconds, "mode": .permissions, "owner": .userID,
    ]

    /// Returns the entry as an object of a list; the plugin's README describes the fields.
    ///
    /// - Parameter isRecursive: Whether the list has entries of several directories.
    func object(id: String, heading: String?, isRecursive: Bool) throws(ListError) -> ListObject {
        let name = path.name
        var fields: [String: Value] = [
            "name": .string(name.text),
            "kind": .string(kind.rawValue),
            "modified": .int64(modified),
            "mode": .uint32(mode),
            "owner": .uint32(owner),
        ]
        if kind != .directory { fields["size"] = .uint64(size) }
        if !name.text.utf8.elementsEqual(name.bytes) {
            fields["raw-name"] = .array(element: "y", name.bytes.map { .byte($0) })
        }
        if let target { fields["target"] = .string(target.text) }
        if let device { fields["device"] = .string(device.rawValue) }
        if let heading { fields["heading"] = .string(heading) }
        if isRecursive {
            fields["path"] = .string(path.text)
            fields["depth"] = .uint32(UInt32(clamping: path.depth))
        }
        if isUnreadable { fields["unreadable"] = .boolean(true) }
        return try ListObject(id: id, type: kind.rawValue, fields: try Fields(fields))
    }
}
