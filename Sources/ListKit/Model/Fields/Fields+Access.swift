// SPDX-License-Identifier: Apache-2.0

extension Fields {
    /// The value of a key, nil when there is none; assigning nil removes the key.
    ///
    /// A value that no D-Bus message can carry is not taken: it becomes the `fault`.
    /// - Complexity: O(size) without decoding other values; assigning copies the bytes.
    public subscript(key: String) -> Value? {
        get {
            guard var value = find(key) else { return nil }
            return value.nextValue()
        }
        set {
            guard let newValue else {
                self = copyingEntries { !$0.isIdenticalBytes(to: key.utf8Span.span) }
                return
            }
            do throws(ListError) {
                self = merging(try Fields([key: newValue]))
            } catch {
                if box == nil { box = FaultBox(error) }
            }
        }
    }

    /// The keys in canonical order: ascending by their UTF-8 bytes.
    public var keys: [String] {
        var keys: [String] = []
        forEachEntry { bytes, entry in keys.append(String(copying: bytes.extracting(entry.key))) }
        return keys
    }

    /// Only the entries whose key is among the given ones.
    ///
    /// - Complexity: O(size + keys).
    public func filtered(to keys: some Sequence<String>) -> Fields { filtered(to: Set(keys.map { ExactText($0) })) }

    /// Only the entries whose key is among the given ones.
    ///
    /// - Complexity: O(size).
    func filtered(to keys: Set<ExactText>) -> Fields {
        copyingEntries { keys.contains(ExactText(String(copying: $0))) }
    }

    /// The fields after a patch: first the keys to unset go, then the entries to set are put in.
    ///
    /// - Complexity: O(size of both + keys).
    public func patched(set entries: Fields, unset keys: some Sequence<String>) -> Fields {
        let keys = Set(keys.map { ExactText($0) })
        return copyingEntries { !keys.contains(ExactText(String(copying: $0))) }.merging(entries)
    }

    /// The fields with the entries of others put in; on a common key the others win.
    ///
    /// - Complexity: O(size of both).
    public func merging(_ others: Fields) -> Fields {
        let mine = entrySlices()
        var theirs = others.entrySlices()[...]
        if theirs.isEmpty { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + others.byteCount)
        for entry in mine {
            while let next = theirs.first, next.key.lexicographicallyPrecedes(entry.key) {
                bytes.append(contentsOf: next.bytes)
                theirs.removeFirst()
            }
            if let next = theirs.first, next.key == entry.key { continue }
            bytes.append(contentsOf: entry.bytes)
        }
        for entry in theirs { bytes.append(contentsOf: entry.bytes) }
        return Fields(storage: ObjectStorage.make(fields: bytes.span), fault: fault ?? others.fault)
    }
}
