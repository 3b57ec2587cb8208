// SPDX-License-Identifier: Apache-2.0

/// The path of an entry below the listed directory: names with `/` between them, just one if the list is not recursive.
///
/// A name is any bytes but `/` and NUL, as Linux has it. The empty path is the listed directory itself.
struct EntryPath: Hashable, Sendable {
    private static let separator = UInt8(ascii: "/")

    /// The bytes as the file system has them.
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

    /// The path for people; what is not UTF-8 shows as `U+FFFD`.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether it is the directory itself or the one above, as readdir answers them.
    var isDot: Bool { bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] }

    /// Whether `ls` leaves it out, or a directory above it.
    var isHidden: Bool { components.contains { $0.first == UInt8(ascii: ".") } }

    // MARK: Names

    /// The names, the outermost first.
    var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.separator) }

    /// How many directories are above it: 0 for an entry of the listed directory.
    var depth: Int { bytes.count { $0 == Self.separator } }

    /// The last name.
    var name: EntryPath { EntryPath(bytes: bytes.suffix(while: { $0 != Self.separator })) }

    /// The directory that it is in.
    var parent: EntryPath { EntryPath(bytes: bytes.dropLast(name.bytes.count).dropLast()) }

    /// An entry of this directory.
    func child(_ name: EntryPath) -> EntryPath {
        isRoot ? name : EntryPath(bytes: bytes + [Self.separator] + name.bytes)
    }

    /// Whether it is somewhere below a directory.
    func isBelow(_ directory: EntryPath) -> Bool {
        directory.isRoot
            ? !isRoot
            : bytes.count > directory.bytes.count && bytes.starts(with: directory.bytes)
                && bytes[directory.bytes.count] == Self.separator
    }

    /// The same path once a directory has another one; itself if it is not there or below.
    func moved(from old: EntryPath, to new: EntryPath) -> EntryPath {
        if self == old { return new }
        return isBelow(old) ? EntryPath(bytes: new.bytes + bytes.dropFirst(old.bytes.count)) : self
    }
}

extension Array where Element == UInt8 {
    /// The longest suffix all of whose bytes fulfil the condition.
    fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
