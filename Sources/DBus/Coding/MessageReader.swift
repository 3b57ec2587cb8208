// SPDX-License-Identifier: Apache-2.0

/// Reads values out of a message's body, one after the other.
///
/// A reader exists only inside the closure that it is handed to. Asking for another type than the one that comes next
/// throws `InvalidArgs` and leaves the reader where it is; nothing here can trap or abort. Values that are not wanted
/// can be skipped. Text and number arrays can be looked at in place, without a copy.
///
/// libdbus has checked the bytes when they came in (D-Bus specification, Marshalling); the reader walks over them by itself,
/// because libdbus' own iterators find their place in the signature anew for each value, which took most of the time of a
/// long list. It checks every bound again all the same: bytes that end too early throw `InconsistentMessage`.
@safe
public struct MessageReader: ~Copyable {
    /// The body, in this machine's byte order and aligned to 8; whoever makes the reader keeps it alive.
    @usableFromInline let body: UnsafeRawBufferPointer
    /// Where the next value begins, before its padding.
    @usableFromInline var offset: Int
    /// Where this level ends, as far as that is known: an array's elements, else the body.
    @usableFromInline let end: Int
    /// The types of this level, alive as the body is: of an array the one of its elements.
    @usableFromInline let types: UnsafeBufferPointer<UInt8>
    /// The next type; an array stays at 0.
    @usableFromInline var nextType = 0
    /// Whether this level is that of an array's elements.
    @usableFromInline let isArray: Bool
    /// The message, where file descriptors come from.
    @usableFromInline let message: MessageBody

    /// Stands before the first value of a body.
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

    /// The kind of the next value; nil behind the last one.
    @inlinable
    public var next: TypeCode? { atEnd ? nil : unsafe TypeCode(signatureByte: types[nextType]) }

    /// Whether a value of a kind comes next.
    @inlinable
    func isNext(_ code: TypeCode) -> Bool { !atEnd && (unsafe types[nextType] == code.signatureByte) }

    /// True when there is nothing more at this level.
    @inlinable
    public var atEnd: Bool { isArray ? offset >= end : unsafe nextType >= types.count }

    /// The kind of the elements of the array that comes next; nil when another value comes next.
    public var nextElement: TypeCode? {
        guard next == .array, unsafe nextType + 1 < types.count else { return nil }
        return unsafe TypeCode(signatureByte: types[nextType + 1])
    }

    /// The whole type of the next value; empty behind the last one. Costs an allocation.
    public var nextSignature: Signature {
        atEnd ? .empty : Signature(unchecked: unsafe String(decoding: nextTypes, as: UTF8.self))
    }

    /// Shows the type of the next value, no bytes behind the last one.
    @inlinable
    public func withNextSignature<R, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe body(Span(_unsafeElements: nextTypes))
    }

    /// The next complete type, where it stands.
    @inlinable
    var nextTypes: UnsafeBufferPointer<UInt8> {
        guard !atEnd else { return unsafe UnsafeBufferPointer(rebasing: types[0..<0]) }
        if isArray { return unsafe types }
        let rest = unsafe UnsafeBufferPointer(rebasing: types[nextType...])
        return unsafe UnsafeBufferPointer(rebasing: rest[..<SignatureText.firstTypeLength(rest)])
    }

    /// Moves behind the next value, whatever it is; does nothing behind the last one.
    @inlinable
    public mutating func skip() {
        guard !atEnd else { return }
        do throws(DBusError) { try skipValue() } catch { giveUp() }
    }

    /// Behind everything: the rest cannot be read.
    @usableFromInline
    mutating func giveUp() {
        offset = end
        nextType = unsafe types.count
    }
}

// MARK: - Moving

extension MessageReader {
    /// The place of the next value of an alignment.
    @inlinable
    func aligned(_ alignment: Int) -> Int { (offset + alignment - 1) & -alignment }

    /// Takes so many bytes of a value with an alignment; answers where they begin.
    @inlinable
    mutating func advance(by count: Int, alignment: Int) throws(DBusError) -> Int {
        let start = aligned(alignment)
        guard count >= 0, start <= end, count <= end - start else { throw MessageReader.truncated }
        offset = start + count
        return start
    }

    /// The next number, whatever its type.
    @inlinable
    mutating func consumeNumber<T: BitwiseCopyable>(_ type: T.Type) throws(DBusError) -> T {
        let start = try advance(by: MemoryLayout<T>.size, alignment: MemoryLayout<T>.size)
        return unsafe body.loadUnaligned(fromByteOffset: start, as: type)
    }

    /// The next text of which a count and a NUL tell the length.
    @inlinable
    mutating func consumeText(_ code: TypeCode) throws(DBusError) -> UnsafeRawBufferPointer {
        let count = code == .signature ? Int(try consumeNumber(UInt8.self)) : Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count + 1, alignment: 1)
        return unsafe UnsafeRawBufferPointer(rebasing: body[start..<start + count])
    }

    /// Goes to the next type of this level.
    @inlinable
    mutating func passType(length: Int = 1) {
        if !isArray { nextType += length }
    }

    /// Moves behind the next value; there is one.
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
