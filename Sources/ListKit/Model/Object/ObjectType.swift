// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The type of an object. All objects of a type share one instance.
///
/// Two instances never have the same name at the same time, so types are equal if they are identical. Some types with
/// short names are kept; any other instance is freed when no object has the type any longer and another name was looked
/// up.
@_spi(Daemon) public final class ObjectType: Sendable {
    /// The name of the type, as the list's objects have it; may be empty.
    public let name: String
    /// The UTF-8 bytes of the name.
    private let bytes: [UInt8]

    private static let names = Mutex(TypeNames())

    /// A cache of the last type that was looked up, because the next lookup is nearly always of the same type. The
    /// cache retains the type.
    private static let latest = Mutex<ObjectType?>(nil)

    /// The type with the empty name. It is never freed.
    public static let unnamed = named("")

    /// Returns the one instance for a name.
    ///
    /// - Complexity: O(length), under a lock that all adapters share. Keep the result if many objects have one type.
    public static func named(_ name: String) -> ObjectType {
        let known = name.withUTF8Bytes { bytes in
            latest.withLock { known in known.flatMap { $0.hasName(bytes) ? $0 : nil } }
        }
        if let known { return known }
        // The last reference to a type must not be released under the lock, because its `deinit` takes the lock
        // again.
        let type = names.withLock { $0.type(named: name) }
        _ = latest.withLock { latest in
            defer { latest = type }
            return latest
        }
        return type
    }

    init(name: String) {
        self.name = name
        bytes = Array(name.utf8)
    }

    /// Returns whether the name has the given UTF-8 bytes.
    public func hasName(_ name: Span<UInt8>) -> Bool {
        // The buffer is only read during the call.
        unsafe bytes.withUnsafeBufferPointer { unsafe name.isIdenticalBytes(to: Span(_unsafeElements: $0)) }
    }

    deinit {
        let identifier = ObjectIdentifier(self)
        ObjectType.names.withLock { $0.remove(name, ifIdentical: identifier) }
    }
}

/// The table of existing types by name.
struct TypeNames: Sendable {
    private final class WeakType: @unchecked Sendable {
        // Sendable: both are set only in `init`, and the runtime loads weak references atomically.
        private(set) weak var type: ObjectType?
        let identifier: ObjectIdentifier

        init(_ type: ObjectType) {
            self.type = type
            identifier = ObjectIdentifier(type)
        }
    }

    /// The maximum number of types that are kept, and the maximum length of their names in bytes.
    static let keptCount = 256, keptLength = 64

    /// The first types with short names, which are never freed. A list has few types, and retaining an instance to which
    /// a weak reference was made takes three times as long.
    private var kept: [ExactText: ObjectType] = [:]
    private var entries: [ExactText: WeakType] = [:]

    /// The number of names in the table.
    var count: Int { kept.count + entries.count }

    /// Returns the existing instance for a name, or a new one.
    mutating func type(named name: String) -> ObjectType {
        let key = ExactText(name)
        if let type = kept[key] ?? entries[key]?.type { return type }
        let type = ObjectType(name: name)
        if kept.count < TypeNames.keptCount, name.utf8.count <= TypeNames.keptLength {
            kept[key] = type
        } else {
            entries[key] = WeakType(type)
        }
        return type
    }

    /// Removes a name, unless its type is kept or it belongs to a newer instance. Shrinks the table after many names
    /// were removed.
    mutating func remove(_ name: String, ifIdentical identifier: ObjectIdentifier) {
        let key = ExactText(name)
        guard entries[key]?.identifier == identifier else { return }
        entries[key] = nil
        if entries.capacity > 1024, entries.count < entries.capacity / 8 {
            entries = Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) })
        }
    }
}
