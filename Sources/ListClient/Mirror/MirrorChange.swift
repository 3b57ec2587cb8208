/// What happened to one section of a mirrored list.
public enum MirrorChange: Sendable, Equatable {
    /// The whole list was read anew.
    case replaced(count: Int)
    /// An object is new at a section.
    case inserted(section: Int, object: MirroredObject)
    /// An object went away; its section before, and the object if its content was known.
    case deleted(section: Int, object: MirroredObject?)
    /// An object changed its place.
    case moved(from: Int, to: Int, object: MirroredObject)
    /// An object has new content.
    case updated(section: Int, object: MirroredObject)
}

/// A change whose object is named by its entry until the content is here.
enum PendingChange: Sendable {
    case inserted(section: Int, key: UInt64)
    case deleted(section: Int, object: MirroredObject?, key: UInt64)
    case moved(from: Int, to: Int, key: UInt64)
    case updated(section: Int, key: UInt64)

    /// The change with its object; nil when the object came and went before anybody read it.
    func resolved(_ objects: [UInt64: MirroredObject]) -> MirrorChange? {
        switch self {
        case .inserted(let section, let key): objects[key].map { .inserted(section: section, object: $0) }
        case .deleted(let section, let object, _): object.map { .deleted(section: section, object: $0) }
        case .moved(let from, let to, let key): objects[key].map { .moved(from: from, to: to, object: $0) }
        case .updated(let section, let key): objects[key].map { .updated(section: section, object: $0) }
        }
    }
}
