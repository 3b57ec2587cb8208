// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// Appends values to a message's body, one after the other, checked against the body's signature.
///
/// A writer exists only inside the closure that it is passed to. Nothing here throws: the first failure (a value of
/// another type than the signature has there, invalid text, too deep, too large, no memory) is kept, later values are
/// ignored, and the code that started the writing gets the failure as an error. No value costs an allocation of its
/// own.
///
/// listd marshals the bytes itself (D-Bus specification, Marshalling), and libdbus checks them once when they are
/// complete: libdbus' iterators write the header's signature again for every top-level value, which took half of the
/// time for a short signal.
///
/// Limits (D-Bus specification, "Message Protocol"): containers nest at most 64 deep, an array has at most 64 MiB.
@safe
public struct MessageWriter: ~Copyable {
    /// How this level moves through its part of the signature.
    @usableFromInline
    enum Level {
        /// Type after type: a body, a struct, a dict entry, a variant's one value.
        case sequence
        /// The one element type, any number of times.
        case array
    }

    private var bytes = MarshalledBytes()
    /// The remaining types (of an array: its element type); points into text that outlives the writer.
    private var types: UnsafeBufferPointer<UInt8>
    private var level = Level.sequence
    private var depth = 0
    private let limit: Int
    /// The descriptors that the indexes in the body refer to.
    private(set) var descriptors: [FileDescriptor] = []
    /// The first failure.
    private(set) var failure: WriteFailure?

    init(types: UnsafeBufferPointer<UInt8>, limit: Int) {
        unsafe self.types = types
        self.limit = limit
    }

    /// The length of the body so far, padding included.
    public var byteCount: Int { bytes.count }

    /// The body.
    consuming func finish() -> MarshalledBytes { bytes }

    /// The kind of the value that must come next; nil when no more may come.
    public var expected: TypeCode? { unsafe types.first.flatMap(TypeCode.init(signatureByte:)) }

    /// True once something has failed: later values are ignored.
    public var hasFailed: Bool { failure != nil }

    /// Fails with an error of the caller's, who gets it back.
    public mutating func fail(_ error: DBusError) {
        if failure == nil { failure = .custom(error) }
    }

    /// True when every type of the signature has got its value.
    var isComplete: Bool { unsafe level == .array || types.isEmpty }
}

// MARK: - Basic values

extension MessageWriter {
    /// Appends a `y`.
    public mutating func append(_ value: UInt8) { appendFixed(.byte, value) }
    /// Appends a `n`.
    public mutating func append(_ value: Int16) { appendFixed(.int16, value) }
    /// Appends a `q`.
    public mutating func append(_ value: UInt16) { appendFixed(.uint16, value) }
    /// Appends a `i`.
    public mutating func append(_ value: Int32) { appendFixed(.int32, value) }
    /// Appends a `u`.
    public mutating func append(_ value: UInt32) { appendFixed(.uint32, value) }
    /// Appends a `x`.
    public mutating func append(_ value: Int64) { appendFixed(.int64, value) }
    /// Appends a `t`.
    public mutating func append(_ value: UInt64) { appendFixed(.uint64, value) }
    /// Appends a `d`.
    public mutating func append(_ value: Double) { appendFixed(.double, value) }

    /// A `dbus_bool_t` has 32 bits.
    public mutating func append(_ value: Bool) { appendFixed(.boolean, value ? 1 as UInt32 : 0) }

    /// The message gets a duplicate; the caller still owns the descriptor.
    public mutating func append(_ value: FileDescriptor) {
        let number = UInt32(truncatingIfNeeded: descriptors.count)
        appendFixed(.fileDescriptor, number)
        if failure == nil { descriptors.append(value) }
    }

    /// `value` has the bytes of a value of kind `code`, whose size is its alignment.
    private mutating func appendFixed<T: BitwiseCopyable>(_ code: TypeCode, _ value: T) {
        guard accept(code), let place = unsafe reserve(MemoryLayout<T>.size, alignment: MemoryLayout<T>.size) else {
            return
        }
        unsafe place.storeBytes(of: value, as: T.self)
    }

    /// Appends text without NUL; text with NUL is a failure that quotes it.
    public mutating func append(_ value: String) { appendText(value, as: .string) }
    /// Appends an `o`.
    public mutating func append(_ value: ObjectPath) { appendText(value.text, as: .objectPath) }
    /// Appends a `g`.
    public mutating func append(_ value: Signature) { appendText(value.text, as: .signature) }

    private mutating func appendText(_ text: String, as code: TypeCode) {
        var text = text
        text.withUTF8 { bytes in
            unsafe appendChecked(bytes, as: code)
        }
    }

    /// Appends a string from UTF-8 bytes without making a `String`; invalid UTF-8 and NUL are failures.
    public mutating func append(utf8 bytes: Span<UInt8>) {
        guard failure == nil else { return }
        guard (try? UTF8Span(validating: bytes)) != nil else { return record(.notUTF8) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe appendChecked(bytes, as: .string)
        }
    }

    /// Appends text that can be wrong only by a NUL.
    private mutating func appendChecked(_ text: UnsafeBufferPointer<UInt8>, as code: TypeCode) {
        guard accept(code) else { return }
        if let first = text.baseAddress, unsafe memchr(first, 0, text.count) != nil {
            return record(.nul(unsafe String(decoding: text, as: UTF8.self)))
        }
        unsafe appendTerminated(text, lengthSize: code == .signature ? 1 : 4)
    }
}

// MARK: - Containers

// The generic part is short, so that each caller gets a specialised copy: a scroll step writes hundreds of containers.

extension MessageWriter {
    /// Appends an array; `body` appends the elements.
    @inlinable
    public mutating func array<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openArray() { try fill(outer, body) }
    }

    /// Appends a struct; `body` appends its members.
    @inlinable
    public mutating func structure<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openSequence(.structure) { try fill(outer, body) }
    }

    /// Appends an entry of a dictionary, inside `array`; `body` appends the key and the value.
    @inlinable
    public mutating func dictionaryEntry<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openSequence(.dictionaryEntry) { try fill(outer, body) }
    }

    /// Appends a variant that holds one value of type `type`; `body` appends it.
    public mutating func variant<E: Error>(
        _ type: Signature, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        var text = type.text
        let result: Result<Void, E> = text.withUTF8 { types in
            guard unsafe !types.isEmpty && SignatureText.firstTypeLength(types) == types.count else {
                return .success(record(.notSingle(type)))
            }
            guard let outer = unsafe openVariant(types) else { return .success(()) }
            do throws(E) { return .success(try fill(outer, body)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Appends a variant whose type is given as bytes; `body` appends its value.
    ///
    /// Bytes that are no type are a failure.
    @inlinable
    public mutating func variant<E: Error>(
        type: Span<UInt8>, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        if let letter = unsafe SignatureText.basic(type) {
            if let outer = unsafe openVariant(letter) { try fill(outer, body) }
        } else if let signature = signature(type) {
            try variant(signature, body)
        }
    }

    @usableFromInline
    mutating func signature(_ type: Span<UInt8>) -> Signature? {
        do throws(DBusError) {
            return try Signature(unsafe type.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
        } catch {
            fail(error)
            return nil
        }
    }

    /// Runs `body` in an open container, and closes it.
    @inlinable
    mutating func fill<E: Error>(
        _ outer: OuterLevel, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        do throws(E) {
            try body(&self)
        } catch {
            leave(outer, isGivenUp: true)
            throw error
        }
        leave(outer, isGivenUp: false)
    }
}

/// The state with which a writer continues after a container.
@safe
@usableFromInline
struct OuterLevel {
    let container: TypeCode
    /// Lives as long as the writer's own.
    let types: UnsafeBufferPointer<UInt8>
    let level: MessageWriter.Level
    /// For an array: the offsets of its length and of its elements.
    let elements: (length: Int, start: Int)?
}

extension MessageWriter {
    @usableFromInline
    mutating func openArray() -> OuterLevel? {
        guard let whole = unsafe acceptContainer(.array), unsafe reserve(4, alignment: 4) != nil else { return nil }
        let length = bytes.count - 4
        let element = unsafe UnsafeBufferPointer(rebasing: whole.dropFirst())
        let alignment = unsafe element.first.flatMap(TypeCode.init(signatureByte:))?.alignment ?? 1
        guard unsafe reserve(0, alignment: alignment) != nil else { return nil }
        return unsafe enter(.array, element, .array, elements: (length, bytes.count))
    }

    @usableFromInline
    mutating func openSequence(_ code: TypeCode) -> OuterLevel? {
        guard let whole = unsafe acceptContainer(code), unsafe reserve(0, alignment: 8) != nil else { return nil }
        return unsafe enter(code, UnsafeBufferPointer(rebasing: whole.dropFirst().dropLast()), .sequence)
    }

    /// `types` is exactly one type, and outlives the variant.
    @usableFromInline
    mutating func openVariant(_ types: UnsafeBufferPointer<UInt8>) -> OuterLevel? {
        guard unsafe acceptContainer(.variant) != nil else { return nil }
        unsafe appendTerminated(types, lengthSize: 1)
        return failure == nil ? unsafe enter(.variant, types, .sequence) : nil
    }

    private mutating func enter(
        _ container: TypeCode, _ inner: UnsafeBufferPointer<UInt8>, _ innerLevel: Level,
        elements: (length: Int, start: Int)? = nil
    ) -> OuterLevel {
        let outer = unsafe OuterLevel(container: container, types: types, level: level, elements: elements)
        unsafe types = inner
        (level, depth) = (innerLevel, depth + 1)
        return outer
    }

    /// Closes a container: checks that all its types got values, and stores the length of an array.
    @usableFromInline
    mutating func leave(_ outer: OuterLevel, isGivenUp: Bool) {
        if isGivenUp { record(.abandoned) } else if !isComplete { record(.incomplete(outer.container)) }
        unsafe types = outer.types
        (level, depth) = (outer.level, depth - 1)
        guard failure == nil, let elements = outer.elements else { return }
        let length = bytes.count - elements.start
        if length > 1 << 26 { record(.tooLarge(1 << 26)) }
        bytes.store(UInt32(truncatingIfNeeded: length), at: elements.length)
    }
}

// MARK: - Checks

extension MessageWriter {
    /// Checks that a value of kind `code` may come now, and moves on in the signature.
    @inline(__always)
    private mutating func accept(_ code: TypeCode) -> Bool {
        guard failure == nil else { return false }
        guard let first = unsafe types.first, first == code.rawValue else {
            record(.mismatch(expected: expected, got: code))
            return false
        }
        if level == .sequence { pass(1) }
        return true
    }

    /// The same for a container; returns its whole type.
    private mutating func acceptContainer(_ code: TypeCode) -> UnsafeBufferPointer<UInt8>? {
        guard failure == nil else { return nil }
        guard expected == code else {
            record(.mismatch(expected: expected, got: code))
            return nil
        }
        guard depth < 64 else {
            record(.tooDeep)
            return nil
        }
        // Inside an array only the type of its elements may come.
        let length =
            unsafe code == .variant ? 1 : level == .array ? types.count : SignatureText.firstTypeLength(types)
        let whole = unsafe UnsafeBufferPointer(start: types.baseAddress, count: length)
        if level == .sequence { pass(length) }
        return unsafe whole
    }

    /// Moves after so many types, which must exist.
    @inline(__always)
    private mutating func pass(_ length: Int) {
        unsafe types = UnsafeBufferPointer(
            start: types.baseAddress.map { unsafe $0 + length }, count: types.count - length)
    }

    /// False when so many bytes after the padding are too many, or something has failed.
    @inline(__always)
    private mutating func hasRoom(_ count: Int, alignment: Int) -> Bool {
        guard failure == nil else { return false }
        let end = (bytes.count + alignment - 1) & -alignment + count
        if end > limit { record(.tooLarge(limit)) }
        return end <= limit
    }

    private mutating func appendTerminated(_ text: UnsafeBufferPointer<UInt8>, lengthSize: Int) {
        guard hasRoom(lengthSize + text.count + 1, alignment: lengthSize) else { return }
        if unsafe !bytes.append(text, lengthSize: lengthSize) { record(.noMemory) }
    }

    /// Room for so many bytes after the padding; nil when something has failed.
    @inline(__always)
    private mutating func reserve(_ count: Int, alignment: Int) -> UnsafeMutableRawPointer? {
        guard hasRoom(count, alignment: alignment) else { return nil }
        guard let place = unsafe bytes.extend(by: count, alignment: alignment) else {
            record(.noMemory)
            return nil
        }
        return unsafe place
    }

    private mutating func record(_ reason: WriteFailure) {
        if failure == nil { failure = reason }
    }
}

// MARK: - Elements in one piece

extension MessageWriter {
    /// Appends all elements of the array that this writer is inside of, as bytes that were written for the same type.
    mutating func appendElements(_ elements: UnsafeRawBufferPointer) {
        guard let first = elements.baseAddress, let place = unsafe reserve(elements.count, alignment: 8) else { return }
        unsafe place.copyMemory(from: first, byteCount: elements.count)
    }

    /// Appends all elements of the array that this writer is inside of.
    mutating func appendFixedElements<T: FixedElement>(_ elements: Span<T>) {
        guard accept(T.typeCode) else { return }
        guard elements.count <= (1 << 26) / MemoryLayout<T>.stride else { return record(.tooLarge(1 << 26)) }
        let size = elements.count * MemoryLayout<T>.stride
        guard let place = unsafe reserve(size, alignment: MemoryLayout<T>.stride) else { return }
        unsafe elements.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress else { return }
            unsafe place.copyMemory(from: first, byteCount: size)
        }
    }
}
