// SPDX-License-Identifier: Apache-2.0

/// Reads values out of a message's body, one after the other.
///
/// A reader exists only inside the closure that it is passed to. Reading another type than that of the next value
/// throws `InvalidArgs` and leaves the reader where it is; no input can trap or abort. Values can be skipped. Text and
/// number arrays can be read in place, without a copy.
///
/// libdbus has checked the received bytes (D-Bus specification, Marshalling); the reader walks over them itself,
/// because libdbus' own iterators search their place in the signature for each value, which took most of the time of a
/// long list. It checks every bound again nevertheless: bytes that end too early throw `InconsistentMessage`.
@safe
public struct MessageReader: ~Copyable {
    /// The body, in this machine's byte order and aligned to 8; the maker of the reader keeps it alive.
    @usableFromInline let body: UnsafeRawBufferPointer
    /// The offset of the next value, before its padding.
    @usableFromInline var offset: Int
    /// The end of this level if it is known: of an array's elements, else of the body.
    @usableFromInline let end: Int
    /// The types of this level, which live as long as the body; for an array, the type of its elements.
    @usableFromInline let types: UnsafeBufferPointer<UInt8>
    /// The index of the next type; 0 in an array.
    @usableFromInline var nextType = 0
    /// Whether this level is that of an array's elements.
    @usableFromInline let isArray: Bool
    /// The message that has the file descriptors.
    @usableFromInline let message: MessageBody

    /// Makes a reader before the first value of a body.
    init(_ message: MessageBody) {
        unsafe body = message.bytes
        unsafe types = message.types
        end = unsafe message.bytes.count
        offset = 0
        isArray = false
        self.message = message
    }

    @inlinable
    init(
        inside parent: borrowing MessageReader, _ range: Range<Int>, of types: UnsafeBufferPointer<UInt8>, isArray: Bool
    ) {
        unsafe body = parent.body
        unsafe self.types = unsafe types
        (offset, end) = (range.lowerBound, range.upperBound)
        self.isArray = isArray
        message = parent.message
    }

    /// The kind of the next value; nil after the last one.
    @inlinable
    public var next: TypeCode? { atEnd ? nil : unsafe TypeCode(signatureByte: types[nextType]) }

    /// Whether a value of a kind comes next.
    @inlinable
    func isNext(_ code: TypeCode) -> Bool { !atEnd && (unsafe types[nextType] == code.signatureByte) }

    /// Whether all values of this level were read.
    @inlinable
    public var atEnd: Bool { isArray ? offset >= end : unsafe nextType >= types.count }

    /// The kind of the elements of the next value, if it is an array; otherwise nil.
    public var nextElement: TypeCode? {
        guard next == .array, unsafe nextType + 1 < types.count else { return nil }
        return unsafe TypeCode(signatureByte: types[nextType + 1])
    }

    /// The whole type of the next value; empty after the last one. Allocates.
    public var nextSignature: Signature {
        atEnd ? .empty : Signature(unchecked: unsafe String(decoding: nextTypes, as: UTF8.self))
    }

    /// Calls a closure with the type of the next value; no bytes after the last one.
    @inlinable
    public func withNextSignature<R, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe body(Span(_unsafeElements: nextTypes))
    }

    /// The next complete type, in place.
    @inlinable
    var nextTypes: UnsafeBufferPointer<UInt8> {
        guard !atEnd else { return unsafe UnsafeBufferPointer(rebasing: types[0..<0]) }
        if isArray { return unsafe types }
        let rest = unsafe UnsafeBufferPointer(rebasing: types[nextType...])
        return unsafe UnsafeBufferPointer(rebasing: rest[..<SignatureText.firstTypeLength(rest)])
    }

    /// Skips the next value, of any type; does nothing after the last one.
    @inlinable
    public mutating func skip() {
        guard !atEnd else { return }
        do throws(DBusError) { try skipValue() } catch { giveUp() }
    }

    /// Moves to the end, as the rest cannot be read.
    @usableFromInline
    mutating func giveUp() {
        offset = end
        nextType = unsafe types.count
    }
}

// MARK: - Moving

extension MessageReader {
    /// The offset of the next value with an alignment.
    @inlinable
    func aligned(_ alignment: Int) -> Int { (offset + alignment - 1) & -alignment }

    /// Consumes so many bytes of a value with an alignment; returns their offset.
    @inlinable
    mutating func advance(by count: Int, alignment: Int) throws(DBusError) -> Int {
        let start = aligned(alignment)
        guard count >= 0, start <= end, count <= end - start else { throw MessageReader.truncated }
        offset = start + count
        return start
    }

    /// Reads the next number, of any type.
    @inlinable
    mutating func consumeNumber<T: BitwiseCopyable>(_ type: T.Type) throws(DBusError) -> T {
        let start = try advance(by: MemoryLayout<T>.size, alignment: MemoryLayout<T>.size)
        return unsafe body.loadUnaligned(fromByteOffset: start, as: type)
    }

    /// Reads the next text, which has a length before it and a NUL after it.
    @inlinable
    mutating func consumeText(_ code: TypeCode) throws(DBusError) -> UnsafeRawBufferPointer {
        let count = code == .signature ? Int(try consumeNumber(UInt8.self)) : Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count + 1, alignment: 1)
        return unsafe UnsafeRawBufferPointer(rebasing: body[start..<start + count])
    }

    /// Moves to the next type of this level.
    @inlinable
    mutating func passType(length: Int = 1) {
        if !isArray { nextType += length }
    }

    /// Skips the next value, which must exist.
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
                _ = try advance(by: code.alignment, alignment: code.alignment)  // as large as its alignment
            }
            passType()
        case nil: throw MessageReader.truncated
        }
    }

    @usableFromInline
    static var truncated: DBusError { DBusError(.inconsistentMessage, "the body ends inside of a value") }

    @usableFromInline
    func mismatch(_ wanted: TypeCode) -> DBusError {
        guard let code = next else {
            return .invalidArgs("a value of type “\(wanted)” is missing")
        }
        return .invalidArgs("a value has type “\(code)” where “\(wanted)” belongs")
    }
}
