// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// What a file is; the raw value is the field `kind` and the object's type.
enum FileKind: String, Sendable, CaseIterable {
    case file
    case directory
    case link
    case pipe
    case socket
    case device
}

/// What a device is; the raw value is the field `device`.
enum DeviceKind: String, Sendable {
    case character
    case block
}

/// A directory entry with its attributes.
struct FileEntry: Equatable, Sendable {
    /// Which file it is, whatever its name: stays through a rename.
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
    }

    var path: EntryPath
    var identity: Identity
    var kind: FileKind
    /// Bytes; 0 for a directory, whose size means nothing to people.
    var size: UInt64
    /// Microseconds since 1970.
    var modified: Int64
    /// Type and permission bits, as stat(2) has them.
    var mode: UInt32
    /// The user that owns it.
    var owner: UInt32
    /// Where a link points.
    var target: EntryPath?
    /// What a device is.
    var device: DeviceKind?
    /// Whether it is a directory that a recursive list may not look into.
    var isUnreadable = false

    /// Takes the path that the entry has after a directory above it, or the entry itself, was renamed.
    mutating func move(from old: EntryPath, to new: EntryPath) { path = path.moved(from: old, to: new) }
}

extension FileEntry {
    /// Hints for showing its fields.
    static let hints: [String: FieldHint] = [
        "size": .bytes, "modified": .timeInMicroseconds, "mode": .permissions, "owner": .userID,
    ]

    /// The entry as an object of a list; the fields are described in the plugin's README.
    ///
    /// - Parameter isRecursive: whether the list has entries of several directories.
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
