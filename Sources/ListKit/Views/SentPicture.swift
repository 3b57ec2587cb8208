// SPDX-License-Identifier: Apache-2.0

/// What the viewer of a view has been sent.
struct SentPicture {
    /// The last sequence.
    private(set) var sequence: UInt64 = 0
    /// The extent of the content as it was sent.
    private(set) var contentSize = Size.zero
    private(set) var elements: [Key: Element] = [:]
    /// The elements, section by section.
    private(set) var order: [Key] = []

    /// Names an element of a picture: an item with an identity goes by it, all else by its index.
    struct Key: Hashable {
        let handle: SectionHandle?
        let kind: ElementKind
        let identity: ExactText?
        let index: Int

        init(_ key: ElementKey, identity: String?) {
            handle = key.handle
            kind = key.kind
            self.identity = identity.map { ExactText($0) }
            index = identity == nil ? key.index : 0
        }

        private init(handle: SectionHandle?, index: Int) {
            self.handle = handle
            kind = .cell
            identity = nil
            self.index = index
        }

        /// The key after a transaction; `nil` when its item is gone.
        func forwarded(by forwarding: [SectionHandle: IndexForwarding]) -> Key? {
            guard kind == .cell, identity == nil, let handle, let forward = forwarding[handle] else { return self }
            return forward(index).map { Key(handle: handle, index: $0) }
        }
    }

    /// One element as it was sent.
    struct Element {
        var slot: SlotNumber
        let handle: SectionHandle?
        let objectID: String
        let kind: ElementKind
        var section: Int
        var item: Int
        var frame: Rect
        var z: Int64
        var reuseIdentifier: String
        var content: Fields

        func isPlaced(like other: Element) -> Bool {
            section == other.section && item == other.item && frame == other.frame && z == other.z
        }
    }

    /// The elements, section by section.
    var present: [Element] { order.compactMap { elements[$0] } }

    /// The next change leads to these elements.
    mutating func advance(to elements: [Key: Element], _ order: [Key], contentSize: Size) {
        self.elements = elements
        self.order = order
        self.contentSize = contentSize
        sequence += 1
    }

    /// The next change leads to other contents of some elements.
    mutating func replaceContents(_ keys: [Key], by changed: [Element]) {
        for (key, element) in zip(keys, changed) { elements[key] = element }
        sequence += 1
    }

    /// A change went out in pieces.
    mutating func setSequence(_ last: UInt64) { sequence = last }

    /// Goes on where a viewer is.
    mutating func resume(sequence: UInt64, contentSize: Size) {
        self.sequence = sequence
        self.contentSize = contentSize
    }

    /// The viewer shows an element.
    mutating func adopt(_ element: Element, _ key: Key) {
        elements[key] = element
        order.append(key)
    }

    /// Follows items through a transaction; answers the slots of those that are gone.
    mutating func forward(_ forwarding: [SectionHandle: IndexForwarding]) -> [Element] {
        guard !forwarding.isEmpty else { return [] }
        var gone: [Element] = []
        var moved: [Key: Element] = [:]
        for (key, element) in elements {
            guard let handle = key.handle, forwarding[handle] != nil else { continue }
            let new = key.forwarded(by: forwarding)
            guard new != key else { continue }
            elements[key] = nil
            if let new { moved[new] = element } else { gone.append(element) }
        }
        elements.merge(moved) { _, new in new }
        return gone
    }
}
