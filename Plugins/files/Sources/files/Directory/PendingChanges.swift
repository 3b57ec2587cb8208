/// What inotify says about a directory.
enum DirectoryNotice: Equatable, Sendable {
    /// The entry was made, changed or deleted: look at it.
    case touched(FileName)
    /// The entry left under this name; with the other half of the same number it is a rename.
    case movedFrom(FileName, cookie: UInt32)
    /// The entry came under this name.
    case movedTo(FileName, cookie: UInt32)
    /// Notices were lost: read everything again.
    case overflow
    /// The directory itself was deleted, moved or unmounted.
    case gone
}

/// What happened to a directory since its list was last brought up to date; bursts become one change.
struct PendingChanges: Equatable, Sendable {
    /// An entry that got another name.
    struct Rename: Equatable, Sendable {
        var from: FileName
        var to: FileName
    }

    /// Renames in the order in which they happened.
    private(set) var renames: [Rename] = []
    /// The names to look at.
    private(set) var touched: Set<FileName> = []
    /// Whether everything is to be read again.
    private(set) var needsReading = false
    /// Whether the directory is gone.
    private(set) var isGone = false
    private var halves: [UInt32: FileName] = [:]

    /// Whether nothing happened.
    var isEmpty: Bool { touched.isEmpty && !needsReading && !isGone }

    /// Whether no rename waits for its other half: a half may be the last thing of one read and the first of the next.
    var isComplete: Bool { halves.isEmpty }

    mutating func note(_ notice: DirectoryNotice) {
        switch notice {
        case .touched(let name):
            touched.insert(name)
        case .movedFrom(let name, let cookie):
            touched.insert(name)
            halves[cookie] = name
        case .movedTo(let name, let cookie):
            touched.insert(name)
            if let from = halves.removeValue(forKey: cookie) { renames.append(Rename(from: from, to: name)) }
        case .overflow:
            needsReading = true
        case .gone:
            isGone = true
        }
    }

    /// Hands out what happened and begins anew.
    mutating func take() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}
