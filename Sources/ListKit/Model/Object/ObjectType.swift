// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The name of a type of objects, shared by all objects that have it.
///
/// Two instances never have the same name at the same time, so identity is equality. An instance is freed
/// when no object has the type and another name was looked up.
@_spi(Daemon) public final class ObjectType: Sendable {
    /// The name, as in the list; may be empty.
    public let name: String

    private static let names = Mutex(TypeNames())

    /// The type that was looked up last, as it is nearly always the next one too; it is not freed meanwhile.
    private static let latest = Mutex<ObjectType?>(nil)

    /// The type with the empty name; it is never freed.
    public static let unnamed = named("")

    /// The one instance for a name.
    ///
    /// - Complexity: O(length), under a lock that all adapters share; keep the result when many objects have one type.
    public static func named(_ name: String) -> ObjectType {
        let known = latest.withLock { $0 }
        if let known, ExactText(known.name) == ExactText(name) { return known }
        // An instance leaves the lock before it can be released, because its `deinit` takes the lock again.
        let type = names.withLock { $0.type(named: name) }
        _ = latest.withLock { latest in
            defer { latest = type }
            return latest
        }
        return type
    }

    init(name: String) { self.name = name }

    deinit {
        let identifier = ObjectIdentifier(self)
        ObjectType.names.withLock { $0.forget(name, identifier) }
    }
}

/// The table of living types by name.
struct TypeNames: Sendable {
    private final class Entry: @unchecked Sendable {
        // Sendable: both are set once here, and the runtime loads weak references atomically.
        private(set) weak var type: ObjectType?
        let identifier: ObjectIdentifier

        init(_ type: ObjectType) {
            self.type = type
            identifier = ObjectIdentifier(type)
        }
    }

    private var entries: [ExactText: Entry] = [:]

    /// How many names are known.
    var count: Int { entries.count }

    /// The existing instance for a name, or a new one.
    mutating func type(named name: String) -> ObjectType {
        let key = ExactText(name)
        if let type = entries[key]?.type { return type }
        let type = ObjectType(name: name)
        entries[key] = Entry(type)
        return type
    }

    /// Removes a name, unless a newer instance has it; shrinks the table after many names were removed.
    mutating func forget(_ name: String, _ identifier: ObjectIdentifier) {
        let key = ExactText(name)
        guard entries[key]?.identifier == identifier else { return }
        entries[key] = nil
        if entries.capacity > 1024, entries.count < entries.capacity / 8 {
            entries = Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) })
        }
    }
}
