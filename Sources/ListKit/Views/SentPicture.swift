// SPDX-License-Identifier: Apache-2.0

/// The picture that the viewer of a view has been sent.
struct SentPicture {
    /// The sequence of the last change that was sent.
    private(set) var sequence: UInt64 = 0
    /// The size of the content that was sent last.
    private(set) var contentSize = Size.zero
    /// The distance to the edge of the viewport for sticky elements that was sent last.
    private(set) var stickyEdge = 0.0
    private(set) var elements: [Key: Element] = [:]
    /// The keys of the elements, section by section.
    private(set) var order: [Key] = []

    /// Identifies an element of a picture: by the identity of the item if there is one, or else by the index.
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

        /// Returns the key after a transaction, or `nil` if the item was removed.
        func forwarded(by forwarding: [SectionHandle: PositionMap]) -> Key? {
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
        /// Where the element travels, if it is sticky.
        var travel: ClosedRange<Double>?
        /// Whether the item was removed.
        var isGone = false

        func isPlaced(like other: Element) -> Bool {
            section == other.section && item == other.item && frame == other.frame && z == other.z
        }
    }

    /// The elements, section by section.
    var present: [Element] { order.compactMap { elements[$0] } }

    /// Advances the picture to the next sequence, with new elements.
    mutating func advance(to elements: [Key: Element], _ order: [Key], contentSize: Size, stickyEdge: Double) {
        self.elements = elements
        self.order = order
        self.contentSize = contentSize
        self.stickyEdge = stickyEdge
        sequence += 1
    }

    /// Advances the picture to the next sequence, with new contents of some elements.
    mutating func replaceContents(_ keys: [Key], by changed: [Element]) {
        for (key, element) in zip(keys, changed) { elements[key] = element }
        sequence += 1
    }

    /// Sets the sequence of the last piece of a change that was sent in pieces.
    mutating func setSequence(_ last: UInt64) { sequence = last }

    /// Restores the sequence and the content size of a resumed view.
    mutating func resume(sequence: UInt64, contentSize: Size) {
        self.sequence = sequence
        self.contentSize = contentSize
    }

    /// Adds an element that the viewer of a resumed view shows.
    mutating func insertShown(_ element: Element, key: Key) {
        elements[key] = element
        order.append(key)
    }

    /// Moves elements to the new indexes of their items after a transaction. Returns the elements of removed items.
    mutating func forward(_ forwarding: [SectionHandle: PositionMap]) -> [Element] {
        guard !forwarding.isEmpty else { return [] }
        var gone: [Element] = []
        var moved: [Key: Element] = [:]
        for (key, element) in elements {
            guard let handle = key.handle, forwarding[handle] != nil else { continue }
            let new = key.forwarded(by: forwarding)
            guard new != key else { continue }
            elements[key] = nil
            if let new {
                moved[new] = element
            } else {
                gone.append(element)
                gone[gone.count - 1].isGone = true
            }
        }
        elements.merge(moved) { _, new in new }
        return gone
    }
}
