/// Where an entry stands in its list: directories first, then by name without regard to case.
struct EntryOrder: Comparable, Hashable, Sendable {
    private let isFile: Bool
    private let folded: [UInt8]
    private let name: [UInt8]

    init(_ entry: FileEntry) {
        isFile = entry.kind != .directory
        folded = Array(entry.name.text.lowercased().utf8)
        name = entry.name.bytes
    }

    static func < (lhs: EntryOrder, rhs: EntryOrder) -> Bool {
        if lhs.isFile != rhs.isFile { return rhs.isFile }
        if lhs.folded != rhs.folded { return lhs.folded.lexicographicallyPrecedes(rhs.folded) }
        return lhs.name.lexicographicallyPrecedes(rhs.name)
    }
}
