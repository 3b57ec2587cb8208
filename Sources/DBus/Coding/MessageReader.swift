// SPDX-License-Identifier: Apache-2.0

/// A cursor that reads the values of a message's body in order.
///
/// A reader exists only inside of the closure that it is passed to. Reading a value as a different type throws
/// `InvalidArgs` and does not move the reader. No input can trap or abort. Values can be skipped; text and number
/// arrays can be read in place, without a copy.
///
/// libdbus has already validated the received bytes (D-Bus specification, "Marshaling"). The reader does not use
/// libdbus' iterators, which search for their position in the signature at each value; that took most of the time for
/// a long list. Every bound is nevertheless checked again: a body that ends too early throws `InconsistentMessage`.
@safe
public struct MessageReader: ~Copyable {
    /// The body, in this machine's byte order and aligned to 8. The creator of the reader keeps it alive.
    @usableFromInline let body: UnsafeRawBufferPointer
    /// The offset of the next value, before its padding.
    @usableFromInline var offset: Int
    /// The end of this level: the end of the elements for an array, the end of the body otherwise.
    @usableFromInline let end: Int
    /// The types of this level; for an array, the type of its elements. They live as long as the body.
    @usableFromInline let types: UnsafeBufferPointer<UInt8>
    /// The index of the next type in `types`; always 0 for an array.
    @usableFromInline var nextType = 0
    /// Whether this level is the elements of an array.
    @usableFromInline let isArray: Bool
    /// The body that owns the file descriptors; nil if only their indexes are read.
    @usableFromInline unowned(unsafe) let descriptors: MessageBody?

    /// Creates a reader at the first value of a body.
    init(_ bytes: UnsafeRawBufferPointer, types: UnsafeBufferPointer<UInt8>, descriptors: MessageBody?) {
        unsafe body = bytes
        unsafe self.types = unsafe types
        end = bytes.count
        offset = 0
        isArray = false
        unsafe self.descriptors = descriptors
    }

    @inlinable
    init(
        inside parent: borrowing MessageReader, _ range: Range<Int>, of types: UnsafeBufferPointer<UInt8>, isArray: Bool
    ) {
        unsafe body = parent.body
        unsafe self.types = unsafe types
        (offset, end) = (range.lowerBound, range.upperBound)
        self.isArray = isArray
        unsafe descriptors = parent.descriptors
    }

    /// The kind of the next value; nil after the last one.
    @inlinable
    public var next: TypeCode? { atEnd ? nil : unsafe TypeCode(signatureByte: types[nextType]) }

    /// Returns whether the next value is of the given kind.
    @inlinable
    func isNext(_ code: TypeCode) -> Bool { !atEnd && (unsafe types[nextType] == code.signatureByte) }

    /// Whether all values of this level have been read.
    @inlinable
    public var atEnd: Bool { isArray ? offset >= end : unsafe nextType >= types.count }

    /// The kind of the elements of the next value; nil if that value is not an array.
    public var nextElement: TypeCode? {
        guard next == .array, unsafe nextType + 1 < types.count else { return nil }
        return unsafe TypeCode(signatureByte: types[nextType + 1])
    }

    /// The complete type of the next value; empty after the last one. Allocates memory.
    public var nextSignature: Signature {
        atEnd ? .empty : Signature(unchecked: unsafe String(decoding: nextTypes, as: UTF8.self))
    }

    /// Passes the type of the next value to a closure; an empty span after the last value.
    @inlinable
    public func withNextSignature<R, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe body(Span(_unsafeElements: nextTypes))
    }

    /// The complete type of the next value, in place.
    @inlinable
    var nextTypes: UnsafeBufferPointer<UInt8> {
        guard !atEnd else { return unsafe UnsafeBufferPointer(rebasing: types[0..<0]) }
        if isArray { return unsafe types }
        let rest = unsafe UnsafeBufferPointer(rebasing: types[nextType...])
        return unsafe UnsafeBufferPointer(rebasing: rest[..<SignatureText.firstTypeLength(rest)])
    }

    /// Skips the next value, whatever its type. Does nothing after the last value.
    @inlinable
    public mutating func skip() {
        guard !atEnd else { return }
        do throws(DBusError) { try skipValue() } catch { moveToEnd() }
    }

    /// Moves to the end of this level when the remaining values cannot be read.
    @usableFromInline
    mutating func moveToEnd() {
        offset = end
        nextType = unsafe types.count
    }
}

// MARK: - Moving

extension MessageReader {
    /// Returns the first offset from here on that is a multiple of `alignment`.
    @inlinable
    func offset(alignedTo alignment: Int) -> Int { (offset + alignment - 1) & -alignment }

    /// Moves past the padding for `alignment` and then past `count` bytes. Returns the offset of these bytes.
    @inlinable
    mutating func advance(by count: Int, alignment: Int) throws(DBusError) -> Int {
        let start = offset(alignedTo: alignment)
        guard count >= 0, start <= end, count <= end - start else { throw MessageReader.truncated }
        offset = start + count
        return start
    }

    /// Reads the next number as a `T`.
    @inlinable
    mutating func consumeNumber<T: BitwiseCopyable>(_ type: T.Type) throws(DBusError) -> T {
        let start = try advance(by: MemoryLayout<T>.size, alignment: MemoryLayout<T>.size)
        return unsafe body.loadUnaligned(fromByteOffset: start, as: type)
    }

    /// Reads the next text: its length, its bytes, and a NUL.
    @inlinable
    mutating func consumeText(_ code: TypeCode) throws(DBusError) -> UnsafeRawBufferPointer {
        let count = code == .signature ? Int(try consumeNumber(UInt8.self)) : Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count + 1, alignment: 1)
        return unsafe UnsafeRawBufferPointer(rebasing: body[start..<start + count])
    }

    /// Moves to the next type of this level.
    @inlinable
    mutating func advanceType(length: Int = 1) {
        if !isArray { nextType += length }
    }

    /// Skips the next value. There must be one.
    @usableFromInline
    mutating func skipValue() throws(DBusError) {
        switch next {
        case .array: try array { _ in }
        case .structure: try structure { _ in }
        case .dictionaryEntry: try dictionaryEntry { _ in }
        case .variant: try variant { _ in }
        case .some(let code):
            if code == .string || code == .objectPath || code == .signature {
                _ = try unsafe consumeText(code)
            } else {
                _ = try advance(by: code.alignment, alignment: code.alignment)  // its size is equal to its alignment
            }
            advanceType()
        case nil: throw MessageReader.truncated
        }
    }

    @usableFromInline
    static var truncated: DBusError { DBusError(.inconsistentMessage, "the body ends inside of a value") }

    @usableFromInline
    func mismatchError(expected wanted: TypeCode) -> DBusError {
        guard let code = next else {
            return .invalidArgs("a value of type “\(wanted)” is missing")
        }
        return .invalidArgs("a value has the type “\(code)” instead of “\(wanted)”")
    }
}
