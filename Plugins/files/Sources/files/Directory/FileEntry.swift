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

/// The path of an entry, relative to the listed directory: names separated by `/`, or a single name in a list that
/// is not recursive.
///
/// A name consists of any bytes except `/` and NUL. The empty path is the listed directory itself.
struct EntryPath: Hashable, Sendable {
    private static let separator = UInt8(ascii: "/")

    /// The bytes of the path in the file system.
    let bytes: [UInt8]

    init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    init(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The listed directory itself.
    static let root = EntryPath(bytes: [])

    var isRoot: Bool { bytes.isEmpty }

    /// The path as text for people; bytes that are not UTF-8 become `U+FFFD`.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the path is `.` or `..`, which readdir(3) also returns.
    var isDot: Bool { bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] }

    /// Whether the name of the entry or of a directory above it begins with a dot, so that `ls` omits it.
    var isHidden: Bool { components.contains { $0.first == UInt8(ascii: ".") } }

    // MARK: Names

    /// The names of the path, the outermost directory first.
    var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.separator) }

    /// The number of directories between the listed directory and the entry: 0 for an entry of the listed
    /// directory.
    var depth: Int { bytes.count { $0 == Self.separator } }

    /// The last name of the path.
    var name: EntryPath { EntryPath(bytes: bytes.suffix(while: { $0 != Self.separator })) }

    /// The path of the directory that contains the entry.
    var parent: EntryPath { EntryPath(bytes: bytes.dropLast(name.bytes.count).dropLast()) }

    /// Returns the path of an entry of this directory.
    func child(_ name: EntryPath) -> EntryPath {
        isRoot ? name : EntryPath(bytes: bytes + [Self.separator] + name.bytes)
    }

    /// Returns whether the path is below a directory, at any depth.
    func isBelow(_ directory: EntryPath) -> Bool {
        directory.isRoot
            ? !isRoot
            : bytes.count > directory.bytes.count && bytes.starts(with: directory.bytes)
                && bytes[directory.bytes.count] == Self.separator
    }

    /// Returns the path that the entry has after a rename of `old` to `new`. A path that is neither `old` nor below
    /// it stays the same.
    func moved(from old: EntryPath, to new: EntryPath) -> EntryPath {
        if self == old { return new }
        return isBelow(old) ? EntryPath(bytes: new.bytes + bytes.dropFirst(old.bytes.count)) : self
    }
}

extension Array where Element == UInt8 {
    /// Returns the longest suffix whose bytes all fulfil the condition.
    fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
