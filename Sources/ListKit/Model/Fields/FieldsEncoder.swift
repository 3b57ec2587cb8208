// SPDX-License-Identifier: Apache-2.0

/// Writes canonical bytes from a stream of values, in the manner of libdbus's append iterators.
///
/// The encoder stands at the top of `a{sv}`: begin a dictionary entry, append the key, begin a variant, append its value,
/// end both. Inside a container every call is checked against the container's type; a mismatch, malformed text or too much
/// nesting throws `invalidObject`, and the encoder is then good for nothing but `reset()`. It keeps its buffer, so that one
/// encoder serves many objects.
@_spi(Daemon) public struct FieldsEncoder: Sendable {
    /// The type of the fields themselves, so that the outermost type lies in `bytes` like all others.
    static let prelude: [UInt8] = [0x7B, 0x73, 0x76, 0x7D]

    /// Up to so many entries are put in order one by one.
    static let fewEntries = 16

    /// Open containers for which there is room at first: those of text in a dictionary in a dictionary. Room for the
    /// deepest would be a block that malloc has to look for, for every call that brings an object.
    static let usualDepth = 8

    /// What a frame stands for.
    enum Kind { case fields, array, dictionary, entry, structure, variant }

    /// One open container.
    struct Frame {
        let kind: Kind
        /// Where its type (of an element, of the members, of the value) lies in `bytes`.
        let types: Range<Int>
        /// The type expected next; an array stays at the start.
        var nextType: Int
        /// Where its content starts, its byte count included.
        let start: Int
        /// Its first element of `entries`.
        let firstEntry: Int
        /// Whether the keys so far came in strictly ascending.
        var isSorted = true
    }

    /// One entry of an open dictionary.
    struct Entry {
        let start: Int
        var key: Range<Int>
        var end: Int
    }

    var bytes = FieldsEncoder.prelude
    var frames: [Frame] = []
    var entries: [Entry] = []
    /// Entries on their way into their order; only its memory is kept.
    var sorted: [UInt8] = []

    /// Makes an encoder that stands at the top of empty fields.
    public init() {
        frames.reserveCapacity(FieldsEncoder.usualDepth)
        reset()
    }

    /// Throws away what was written, keeping the memory.
    public mutating func reset() {
        if isEmpty { return }
        bytes.removeSubrange(FieldsEncoder.prelude.count...)
        entries.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        frames.append(Frame(kind: .fields, types: 0..<4, nextType: 0, start: 4, firstEntry: 0))
    }

    /// Whether nothing was written since the last reset.
    private var isEmpty: Bool { bytes.count == FieldsEncoder.prelude.count && frames.count == 1 && entries.isEmpty }

    /// The fields written, and an encoder that is empty again.
    ///
    /// - Throws: `invalidObject` when a container is open, `payloadTooLarge` beyond 2 GiB.
    public mutating func finish() throws(ListError) -> Fields {
        try close()
        defer { reset() }
        return Fields(storage: ObjectStorage.make(fields: bytes.span.extracting(droppingFirst: 4)))
    }

    /// The object with the fields written, and an encoder that is empty again; the fields are copied once.
    ///
    /// - Throws: what `finish` and `ListObject.init` throw.
    public mutating func finishObject(id: Span<UInt8>, type: ObjectType) throws(ListError) -> ListObject {
        try close()
        defer { reset() }
        try ListObject.validate(id: id)
        return ListObject(
            storage: ObjectStorage.make(id: id, type: type, fields: bytes.span.extracting(droppingFirst: 4)))
    }

    private mutating func close() throws(ListError) {
        guard frames.count == 1 else { throw ListError(.invalidObject, "fields: a container was left open") }
        sortEntries(of: frames[0])
        guard bytes.count <= CanonicalEncoding.maximumByteCount else {
            throw ListError(.payloadTooLarge, "fields: \(bytes.count) bytes")
        }
    }
}
