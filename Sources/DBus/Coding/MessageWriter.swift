// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// A cursor that appends values to a message's body and checks them against the body's signature.
///
/// A writer exists only inside of the closure that it is passed to. Its functions do not throw. The writer keeps the
/// first failure: a value of the wrong type, invalid text, too deep nesting, too much data, no memory. It ignores
/// later values, and the function that created the writer throws the failure. Appending a value needs no allocation
/// of its own.
///
/// The writer marshals the bytes itself (D-Bus specification, "Marshaling"), and libdbus validates them once when
/// they are complete. libdbus' iterators would write the header's signature again for every top-level value, which
/// took half of the time for a short signal.
///
/// Limits (D-Bus specification, "Message Protocol"): containers nest at most 64 deep, and an array has at most 64
/// MiB.
@safe
public struct MessageWriter: ~Copyable {
    /// How a level of the body moves through its types.
    @usableFromInline
    enum Level {
        /// Type by type: a body, a struct, a dict entry, the one value of a variant.
        case sequence
        /// The element type of an array, repeated any number of times.
        case array
    }

    private var bytes = MarshalledBytes()
    /// The remaining types of this level; for an array, its element type. They point into text that outlives the
    /// writer.
    private var types: UnsafeBufferPointer<UInt8>
    private var level = Level.sequence
    private var depth = 0
    private let limit: Int
    /// The descriptors to which the indexes in the body refer.
    private(set) var descriptors: [FileDescriptor] = []
    /// The first failure, after which values are ignored.
    private(set) var failure: WriteFailure?

    init(types: UnsafeBufferPointer<UInt8>, limit: Int) {
        unsafe self.types = types
        self.limit = limit
    }

    /// The length of the body so far in bytes, including padding.
    public var byteCount: Int { bytes.count }

    /// Ends writing and returns the body.
    consuming func finish() -> MarshalledBytes { bytes }

    /// The kind of value that must be appended next; nil when the signature allows no more values.
    public var expected: TypeCode? { unsafe types.first.flatMap(TypeCode.init(signatureByte:)) }

    /// Whether writing has failed; later values are then ignored.
    public var hasFailed: Bool { failure != nil }

    /// Makes writing fail with an error, unless it has failed already. The function that created the writer throws
    /// the error.
    public mutating func fail(_ error: DBusError) {
        if failure == nil { failure = .custom(error) }
    }

    /// Whether every type of the signature has a value.
    var isComplete: Bool { unsafe level == .array || types.isEmpty }
}

// MARK: - Basic values

extension MessageWriter {
    /// Appends a `y`.
    public mutating func append(_ value: UInt8) { appendFixed(.byte, value) }
    /// Appends an `n`.
    public mutating func append(_ value: Int16) { appendFixed(.int16, value) }
    /// Appends a `q`.
    public mutating func append(_ value: UInt16) { appendFixed(.uint16, value) }
    /// Appends an `i`.
    public mutating func append(_ value: Int32) { appendFixed(.int32, value) }
    /// Appends a `u`.
    public mutating func append(_ value: UInt32) { appendFixed(.uint32, value) }
    /// Appends an `x`.
    public mutating func append(_ value: Int64) { appendFixed(.int64, value) }
    /// Appends a `t`.
    public mutating func append(_ value: UInt64) { appendFixed(.uint64, value) }
    /// Appends a `d`.
    public mutating func append(_ value: Double) { appendFixed(.double, value) }

    /// Appends a `b`, which has 32 bits.
    public mutating func append(_ value: Bool) { appendFixed(.boolean, value ? 1 as UInt32 : 0) }

    /// Appends an `h`.
    public mutating func append(_ value: FileDescriptor) {
        let number = UInt32(truncatingIfNeeded: descriptors.count)
        appendFixed(.fileDescriptor, number)
        if failure == nil { descriptors.append(value) }
    }

    /// Appends the bytes of `value` as a value of kind `code`. A `T` has the size and the alignment of that kind.
    private mutating func appendFixed<T: BitwiseCopyable>(_ code: TypeCode, _ value: T) {
        guard accept(code), let place = unsafe reserve(MemoryLayout<T>.size, alignment: MemoryLayout<T>.size) else {
            return
        }
        unsafe place.storeBytes(of: value, as: T.self)
    }

    /// Appends an `s`. Text that contains a NUL is a failure, which quotes the text.
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

    /// Appends a string given as UTF-8 bytes, without creating a `String`. Invalid UTF-8 and NUL are failures.
    public mutating func append(utf8 bytes: Span<UInt8>) {
        guard failure == nil else { return }
        guard (try? UTF8Span(validating: bytes)) != nil else { return recordFailure(.notUTF8) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe appendChecked(bytes, as: .string)
        }
    }

    /// Appends text that is valid except that it may contain a NUL.
    private mutating func appendChecked(_ text: UnsafeBufferPointer<UInt8>, as code: TypeCode) {
        guard accept(code) else { return }
        if let first = text.baseAddress, unsafe memchr(first, 0, text.count) != nil {
            return recordFailure(.nul(unsafe String(decoding: text, as: UTF8.self)))
        }
        unsafe appendTerminated(text, lengthSize: code == .signature ? 1 : 4)
    }
}

// MARK: - Containers

// The generic functions are short and inlinable, so that each caller gets a specialised copy: a scroll step writes
// hundreds of containers.

extension MessageWriter {
    /// Appends an array; `body` appends the elements.
    @inlinable
    public mutating func array<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openArray() { try fillContainer(inside: outer, body) }
    }

    /// Appends a struct; `body` appends its members.
    @inlinable
    public mutating func structure<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openSequence(.structure) { try fillContainer(inside: outer, body) }
    }

    /// Appends a dict entry inside of `array`; `body` appends the key and the value.
    @inlinable
    public mutating func dictionaryEntry<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        if let outer = openSequence(.dictionaryEntry) { try fillContainer(inside: outer, body) }
    }

    /// Appends a variant for one value of type `type`; `body` appends this value.
    public mutating func variant<E: Error>(
        _ type: Signature, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        var text = type.text
        let result: Result<Void, E> = text.withUTF8 { types in
            guard unsafe !types.isEmpty && SignatureText.firstTypeLength(types) == types.count else {
                return .success(recordFailure(.notSingle(type)))
            }
            guard let outer = unsafe openVariant(types) else { return .success(()) }
            do throws(E) { return .success(try fillContainer(inside: outer, body)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Appends a variant whose type is given as bytes; `body` appends its value.
    ///
    /// Bytes that are not a valid type are a failure.
    @inlinable
    public mutating func variant<E: Error>(
        type: Span<UInt8>, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        if let letter = unsafe SignatureText.staticText(ofOneLetterType: type) {
            if let outer = unsafe openVariant(letter) { try fillContainer(inside: outer, body) }
        } else if let signature = parseSignature(type) {
            try variant(signature, body)
        }
    }

    @usableFromInline
    mutating func parseSignature(_ type: Span<UInt8>) -> Signature? {
        do throws(DBusError) {
            return try Signature(unsafe type.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
        } catch {
            fail(error)
            return nil
        }
    }

    /// Runs `body` inside of an open container, and closes the container.
    @inlinable
    mutating func fillContainer<E: Error>(
        inside outer: OuterLevel, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        do throws(E) {
            try body(&self)
        } catch {
            leave(outer, isAbandoned: true)
            throw error
        }
        leave(outer, isAbandoned: false)
    }
}

/// The state of a writer before it entered a container; restored when the container is closed.
@safe
@usableFromInline
struct OuterLevel {
    let container: TypeCode
    /// The types of the outer level, which live as long as the writer's own.
    let types: UnsafeBufferPointer<UInt8>
    let level: MessageWriter.Level
    /// The offsets of the array's length and of its first element; nil for other containers.
    let elements: (length: Int, start: Int)?
}

extension MessageWriter {
    /// Opens an array. Returns the level to which to return, or nil after a failure.
    @usableFromInline
    mutating func openArray() -> OuterLevel? {
        guard let whole = unsafe acceptContainer(.array), unsafe reserve(4, alignment: 4) != nil else { return nil }
        let length = bytes.count - 4
        let element = unsafe UnsafeBufferPointer(rebasing: whole.dropFirst())
        let alignment = unsafe element.first.flatMap(TypeCode.init(signatureByte:))?.alignment ?? 1
        guard unsafe reserve(0, alignment: alignment) != nil else { return nil }
        return unsafe enter(.array, types: element, level: .array, elements: (length, bytes.count))
    }

    /// Opens a struct or a dict entry.
    @usableFromInline
    mutating func openSequence(_ code: TypeCode) -> OuterLevel? {
        guard let whole = unsafe acceptContainer(code), unsafe reserve(0, alignment: 8) != nil else { return nil }
        // Without the brackets.
        return unsafe enter(
            code, types: UnsafeBufferPointer(start: whole.baseAddress.map { unsafe $0 + 1 }, count: whole.count - 2),
            level: .sequence)
    }

    /// Opens a variant. `types` is exactly one type and must outlive the variant.
    @usableFromInline
    mutating func openVariant(_ types: UnsafeBufferPointer<UInt8>) -> OuterLevel? {
        guard unsafe acceptContainer(.variant) != nil else { return nil }
        unsafe appendTerminated(types, lengthSize: 1)
        return failure == nil ? unsafe enter(.variant, types: types, level: .sequence) : nil
    }

    private mutating func enter(
        _ container: TypeCode, types inner: UnsafeBufferPointer<UInt8>, level innerLevel: Level,
        elements: (length: Int, start: Int)? = nil
    ) -> OuterLevel {
        let outer = unsafe OuterLevel(container: container, types: types, level: level, elements: elements)
        unsafe types = inner
        (level, depth) = (innerLevel, depth + 1)
        return outer
    }

    /// Closes a container: checks that all its types have values, and stores the length of an array.
    @usableFromInline
    mutating func leave(_ outer: OuterLevel, isAbandoned: Bool) {
        if isAbandoned { recordFailure(.abandoned) } else if !isComplete { recordFailure(.incomplete(outer.container)) }
        unsafe types = outer.types
        (level, depth) = (outer.level, depth - 1)
        guard failure == nil, let elements = outer.elements else { return }
        let length = bytes.count - elements.start
        if length > 1 << 26 { recordFailure(.tooLarge(1 << 26)) }
        bytes.store(UInt32(truncatingIfNeeded: length), at: elements.length)
    }
}

// MARK: - Checks

extension MessageWriter {
    /// Checks that the next value may be of kind `code`, and moves to the next type. Returns `false` after a failure.
    @inline(__always)
    private mutating func accept(_ code: TypeCode) -> Bool {
        guard failure == nil else { return false }
        guard let first = unsafe types.first, first == code.rawValue else {
            recordFailure(.mismatch(expected: expected, got: code))
            return false
        }
        if level == .sequence { advanceTypes(by: 1) }
        return true
    }

    /// Checks that the next value may be a container of kind `code`, and moves to the next type. Returns the
    /// container's complete type, or nil after a failure.
    private mutating func acceptContainer(_ code: TypeCode) -> UnsafeBufferPointer<UInt8>? {
        guard failure == nil else { return nil }
        guard expected == code else {
            recordFailure(.mismatch(expected: expected, got: code))
            return nil
        }
        guard depth < 64 else {
            recordFailure(.tooDeep)
            return nil
        }
        // Inside of an array, only the element type is allowed.
        let length =
            unsafe code == .variant ? 1 : level == .array ? types.count : SignatureText.firstTypeLength(types)
        let whole = unsafe UnsafeBufferPointer(start: types.baseAddress, count: length)
        if level == .sequence { advanceTypes(by: length) }
        return unsafe whole
    }

    /// Moves past `length` bytes of the signature, which must exist.
    @inline(__always)
    private mutating func advanceTypes(by length: Int) {
        unsafe types = UnsafeBufferPointer(
            start: types.baseAddress.map { unsafe $0 + length }, count: types.count - length)
    }

    /// Returns whether `count` bytes fit below the limit after padding. Records a failure if they do not.
    @inline(__always)
    private mutating func requireRoom(for count: Int, alignment: Int) -> Bool {
        guard failure == nil else { return false }
        let end = (bytes.count + alignment - 1) & -alignment + count
        if end > limit { recordFailure(.tooLarge(limit)) }
        return end <= limit
    }

    private mutating func appendTerminated(_ text: UnsafeBufferPointer<UInt8>, lengthSize: Int) {
        guard requireRoom(for: lengthSize + text.count + 1, alignment: lengthSize) else { return }
        if unsafe !bytes.append(text, lengthSize: lengthSize) { recordFailure(.noMemory) }
    }

    /// Reserves `count` bytes after padding. Returns nil when writing has failed.
    @inline(__always)
    private mutating func reserve(_ count: Int, alignment: Int) -> UnsafeMutableRawPointer? {
        guard requireRoom(for: count, alignment: alignment) else { return nil }
        guard let place = unsafe bytes.extend(by: count, alignment: alignment) else {
            recordFailure(.noMemory)
            return nil
        }
        return unsafe place
    }

    private mutating func recordFailure(_ reason: WriteFailure) {
        if failure == nil { failure = reason }
    }
}

// MARK: - Elements in one piece

extension MessageWriter {
    /// Appends an array of structs or dict entries that is the only value of another body. It is a failure if the
    /// signature has another type next.
    mutating func append(arrayOf other: MessageBody) {
        array { inside in
            unsafe other.withBytes { bytes in
                // Such elements are aligned to 8, so their bytes are the same everywhere. The length of the array,
                // padded to 8, precedes them.
                let elements = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8))
                guard let first = elements.baseAddress, let place = unsafe inside.reserve(elements.count, alignment: 8)
                else { return }
                unsafe place.copyMemory(from: first, byteCount: elements.count)
            }
        }
    }

    /// Appends all elements of the array that is open.
    mutating func appendFixedElements<T: FixedElement>(_ elements: Span<T>) {
        guard accept(T.typeCode) else { return }
        guard elements.count <= (1 << 26) / MemoryLayout<T>.stride else { return recordFailure(.tooLarge(1 << 26)) }
        let size = elements.count * MemoryLayout<T>.stride
        guard let place = unsafe reserve(size, alignment: MemoryLayout<T>.stride) else { return }
        unsafe elements.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress else { return }
            unsafe place.copyMemory(from: first, byteCount: size)
        }
    }
}

/// A reason why a message could not be written.
///
/// The enum is indirect so that it is small: every writer has space for a failure, and hardly any writer fails.
indirect enum WriteFailure {
    /// The value's kind differs from the next type of the signature. `expected` is nil after the last type.
    case mismatch(expected: TypeCode?, got: TypeCode)
    /// A container got fewer values than its type requires.
    case incomplete(TypeCode)
    case tooDeep
    /// The message would exceed this number of bytes.
    case tooLarge(Int)
    case nul(String)
    case notUTF8
    /// A variant's type is not exactly one complete type.
    case notSingle(Signature)
    case noMemory
    /// The closure that appended the contents of a container threw an error.
    case abandoned
    case custom(DBusError)

    var error: DBusError {
        switch self {
        case .mismatch(let expected?, let got):
            .invalidArgs("a value has the type “\(got)” instead of “\(expected)”")
        case .mismatch(nil, let got):
            .invalidArgs("a value of type “\(got)” was given after the last type of the signature")
        case .incomplete(let code):
            .invalidArgs("a value is missing in a container of type “\(code)”")
        case .tooDeep:
            .limitsExceeded("the values are nested more than 64 containers deep")
        case .tooLarge(let limit):
            .limitsExceeded("the message would be larger than \(limit) bytes")
        case .nul(let text):
            .invalidArgs("text with a NUL character cannot be sent: \(text.quoted)")
        case .notUTF8:
            .invalidArgs("text that is not UTF-8 cannot be sent")
        case .notSingle(let signature):
            .invalidArgs("the type of a variant must be one complete type, not \(signature.text.quoted)")
        case .noMemory:
            DBusError(.noMemory, "there is not enough memory for the message, or it has too many descriptors")
        case .abandoned:
            .failed("writing the message was abandoned")
        case .custom(let error):
            error
        }
    }
}
