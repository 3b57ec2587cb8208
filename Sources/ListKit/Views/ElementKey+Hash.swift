// SPDX-License-Identifier: Apache-2.0

extension ElementKey {
    /// Returns a fast hash, like that of ``SectionHandle``.
    func _rawHashValue(seed: Int) -> Int {
        HandleHash.hash(Int(handle?.raw ?? 0) << 8 | kind.number, index, seed: seed)
    }
}

extension SentPicture.Key {
    /// Returns a fast hash for a key with an index. A key with an identity uses the standard library's hash, because
    /// programs choose identities and could choose keys that collide.
    func _rawHashValue(seed: Int) -> Int {
        guard let identity else {
            return HandleHash.hash(Int(handle?.raw ?? 0) << 8 | kind.number, index, seed: seed)
        }
        var hasher = Hasher()
        hasher.combine(handle)
        hasher.combine(identity)
        return HandleHash.hash(hasher.finalize(), seed: seed)
    }
}

extension ElementKind {
    fileprivate var number: Int {
        switch self {
        case .cell: 0
        case .header: 1
        case .footer: 2
        }
    }
}
