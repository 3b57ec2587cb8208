// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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

extension MessageReader {
    /// Reads a `y`.
    public mutating func readUInt8() throws(DBusError) -> UInt8 { try readNumber(.byte) }
    /// Reads an `n`.
    public mutating func readInt16() throws(DBusError) -> Int16 { try readNumber(.int16) }
    /// Reads a `q`.
    public mutating func readUInt16() throws(DBusError) -> UInt16 { try readNumber(.uint16) }
    /// Reads an `i`.
    public mutating func readInt32() throws(DBusError) -> Int32 { try readNumber(.int32) }
    /// Reads a `u`.
    public mutating func readUInt32() throws(DBusError) -> UInt32 { try readNumber(.uint32) }
    /// Reads an `x`.
    public mutating func readInt64() throws(DBusError) -> Int64 { try readNumber(.int64) }
    /// Reads a `t`.
    public mutating func readUInt64() throws(DBusError) -> UInt64 { try readNumber(.uint64) }
    /// Reads a `d`.
    public mutating func readDouble() throws(DBusError) -> Double { try readNumber(.double) }
    /// Reads a `b`.
    public mutating func readBool() throws(DBusError) -> Bool { try readNumber(.boolean) as UInt32 != 0 }

    /// Reads a file descriptor, which the caller owns.
    ///
    /// - Throws: `InvalidArgs` also when the message lacks the descriptor, `LimitsExceeded` when the process can open
    ///   no more descriptors.
    public mutating func readFileDescriptor() throws(DBusError) -> FileDescriptor {
        FileDescriptor(adopting: try readRawDescriptor())
    }

    /// Reads a file descriptor as a new duplicate, which the caller must close.
    mutating func readRawDescriptor() throws(DBusError) -> Int32 {
        let index = try readDescriptorIndex()
        guard let held = unsafe descriptors?.descriptors[index] else {
            throw .invalidArgs("the message lacks its file descriptor \(index)")
        }
        let duplicate = fcntl(held.rawValue, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else { throw .limitsExceeded("the process has reached its limit of file descriptors") }
        return duplicate
    }

    /// Reads an `h` as it is in the body: the index of a descriptor in the message.
    mutating func readDescriptorIndex() throws(DBusError) -> UInt32 { try readNumber(.fileDescriptor) }

    /// Reads an `s`.
    public mutating func readString() throws(DBusError) -> String { try readText(.string) }

    /// Reads an `o`.
    public mutating func readObjectPath() throws(DBusError) -> ObjectPath {
        ObjectPath(unchecked: try readText(.objectPath))
    }

    /// Reads a `g`.
    public mutating func readSignature() throws(DBusError) -> Signature {
        Signature(unchecked: try readText(.signature))
    }

    /// Passes the UTF-8 bytes of a string, object path or signature to a closure, in place and without the final NUL.
    @inlinable
    public mutating func readUTF8<R>(
        _ body: (Span<UInt8>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard let code = next, code == .string || code == .objectPath || code == .signature else {
            throw mismatchError(expected: .string)
        }
        let text = try unsafe consumeText(code)
        advanceType()
        return try unsafe body(text.bindMemory(to: UInt8.self).span)
    }

    /// Reads a number of a D-Bus type; `T` has the same size.
    @inline(__always)
    private mutating func readNumber<T: BitwiseCopyable>(_ code: TypeCode) throws(DBusError) -> T {
        guard isNext(code) else { throw mismatchError(expected: code) }
        let value = try consumeNumber(T.self)
        advanceType()
        return value
    }

    private mutating func readText(_ code: TypeCode) throws(DBusError) -> String {
        guard isNext(code) else { throw mismatchError(expected: code) }
        let text = try unsafe consumeText(code)
        advanceType()
        return unsafe String(decoding: text, as: UTF8.self)
    }
}

// A reader moves past a container even when `body` throws, so that a caller that catches the error can read the next
// value.

extension MessageReader {
    /// Reads an array. `body` reads the elements until `atEnd`; elements that `body` does not read are skipped.
    @inlinable
    public mutating func array<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.array) else { throw mismatchError(expected: .array) }
        let types = unsafe nextTypes
        let range = try unsafe consumeElements(types)
        advanceType(length: types.count)
        let element = unsafe UnsafeBufferPointer(rebasing: types.dropFirst())
        var inside = unsafe MessageReader(inside: self, range, of: element, isArray: true)
        return try body(&inside)
    }

    /// Reads a struct, whose members `body` reads.
    @inlinable
    public mutating func structure<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try readBracketed(.structure, body)
    }

    /// Reads a dict entry inside of `array`. `body` reads the key and the value.
    @inlinable
    public mutating func dictionaryEntry<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try readBracketed(.dictionaryEntry, body)
    }

    /// Reads an entry of an `a{sv}` whose value is a string; `body` gets key and value in place. Returns nil, without
    /// moving, when the next value is not such an entry.
    ///
    /// Reading the entry, key, variant and string one by one has the same result, but takes several times as long.
    public mutating func textEntry<R>(
        _ body: (_ key: Span<UInt8>, _ text: Span<UInt8>) throws(DBusError) -> R
    ) throws(DBusError) -> R? {
        let entry = offset
        guard let (key, type) = try unsafe beginEntry() else { return nil }
        guard unsafe self.body[type] == 1 && self.body[type + 1] == TypeCode.string.rawValue else {
            offset = entry
            return nil
        }
        let text = try unsafe consumeText(.string)
        return try unsafe body(key.bindMemory(to: UInt8.self).span, text.bindMemory(to: UInt8.self).span)
    }

    /// Reads an entry of an `a{sv}` whose value is a boolean or a number; `body` gets the value's bits as they are in
    /// the message. Returns nil, without moving, when the next value is not such an entry.
    public mutating func numberEntry<R>(
        _ body: (_ key: Span<UInt8>, _ type: TypeCode, _ bits: UInt64) throws(DBusError) -> R
    ) throws(DBusError) -> R? {
        let entry = offset
        guard let (key, start) = try unsafe beginEntry() else { return nil }
        guard unsafe self.body[start] == 1, let type = unsafe TypeCode(signatureByte: self.body[start + 1]),
            let bits = try consumeBits(of: type)
        else {
            offset = entry
            return nil
        }
        return try unsafe body(key.bindMemory(to: UInt8.self).span, type, bits)
    }

    /// Reads the key of an entry of an `a{sv}`, up to the value. Returns the key and where the signature of the variant
    /// begins; nil, without moving, when no such entry is next.
    @inline(__always)
    private mutating func beginEntry() throws(DBusError) -> (key: UnsafeRawBufferPointer, signature: Int)? {
        guard isArray, !atEnd, unsafe types.count == 4 && types[1] == TypeCode.string.rawValue,
            isNext(.dictionaryEntry), unsafe types[2] == TypeCode.variant.rawValue
        else { return nil }
        _ = try advance(by: 0, alignment: TypeCode.dictionaryEntry.alignment)
        let key = try unsafe consumeText(.string)
        return unsafe (key, try advance(by: 3, alignment: 1))
    }

    /// Reads the bits of a number or boolean. Returns nil, without moving, for any other type.
    private mutating func consumeBits(of type: TypeCode) throws(DBusError) -> UInt64? {
        switch type {
        case .byte: UInt64(try consumeNumber(UInt8.self))
        case .int16, .uint16: UInt64(try consumeNumber(UInt16.self))
        case .int32, .uint32, .boolean: UInt64(try consumeNumber(UInt32.self))
        case .int64, .uint64, .double: try consumeNumber(UInt64.self)
        default: nil
        }
    }

    /// Reads a variant. `body` reads its value, whose kind is `next`.
    @inlinable
    public mutating func variant<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.variant) else { throw mismatchError(expected: .variant) }
        let types = try unsafe consumeText(.signature).bindMemory(to: UInt8.self)
        advanceType()
        return try unsafe readLevel(of: types, body)
    }

    /// Reads an array of numbers in place as one block.
    @inlinable
    public mutating func fixedArray<T: FixedElement, R>(
        of type: T.Type, _ body: (Span<T>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard nextElement == T.typeCode else { throw mismatchError(expected: .array) }
        let range = try unsafe consumeElements(nextTypes)
        advanceType(length: 2)
        // The body is aligned to 8, and elements are aligned to their size.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: self.body[range])
        return try unsafe body(bytes.bindMemory(to: T.self).span)
    }

    /// Reads the header of an array and moves past the array. Returns the range of the elements' bytes.
    @inlinable
    mutating func consumeElements(_ types: UnsafeBufferPointer<UInt8>) throws(DBusError) -> Range<Int> {
        guard types.count > 1, let element = unsafe TypeCode(signatureByte: types[1]) else {
            throw MessageReader.truncated
        }
        let count = Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count, alignment: element.alignment)
        return start..<start + count
    }

    /// Reads a struct or a dict entry, whose type is in brackets. `body` reads the members.
    @inlinable
    mutating func readBracketed<R>(
        _ code: TypeCode, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(code) else { throw mismatchError(expected: code) }
        let types = unsafe nextTypes
        _ = try advance(by: 0, alignment: code.alignment)
        advanceType(length: types.count)
        return try unsafe readLevel(of: UnsafeBufferPointer(rebasing: types.dropFirst().dropLast()), body)
    }

    /// Passes a reader for values of the given types to `body`, and moves past all of them.
    @inlinable
    mutating func readLevel<R>(
        of types: UnsafeBufferPointer<UInt8>, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        var inside = unsafe MessageReader(inside: self, offset..<end, of: types, isArray: false)
        do throws(DBusError) {
            let result = try body(&inside)
            offset = inside.skipToEnd()
            return result
        } catch {
            offset = inside.skipToEnd()
            throw error
        }
    }

    /// Skips the remaining values, and returns the offset behind them.
    @inlinable
    mutating func skipToEnd() -> Int {
        while !atEnd { skip() }
        return offset
    }
}
