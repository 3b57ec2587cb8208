internal import CDBus
internal import Glibc

/// Appends values to a message's body, one after the other, checked against the signature that the body shall have.
///
/// A writer exists only inside the closure that it is handed to. Nothing here throws: the first failure (a value of
/// another type than the signature has there, bad text, too deep, too large, no memory) is kept, everything after it is
/// ignored, and whoever started the writing gets it as an error. No value costs an allocation of its own.
///
/// Limits (D-Bus specification, "Message Protocol"): containers nest at most 64 deep, an array has at most 64 MiB.
@safe
public struct MessageWriter: ~Copyable {
    /// How this level goes through its part of the signature.
    enum Level {
        /// Type after type: a body, a struct, a dict entry, a variant's one value.
        case sequence
        /// The one element type, any number of times.
        case array
    }

    /// Owned by the closure's caller, never copied while a container is open in it.
    var iterator: DBusMessageIter
    /// The types that are left (of an array: its element type); points into text that outlives the writer.
    private var types: UnsafeBufferPointer<UInt8>
    private let level: Level
    private let depth: Int
    private let limit: Int
    /// Bytes of the body so far, padding included.
    public private(set) var byteCount: Int
    /// The first failure.
    private(set) var failure: WriteFailure?

    init(iterator: DBusMessageIter, types: UnsafeBufferPointer<UInt8>, limit: Int) {
        unsafe self.iterator = iterator
        unsafe self.types = types
        level = .sequence
        depth = 0
        self.limit = limit
        byteCount = 0
    }

    /// A writer for the inside of a container; its iterator is opened by the caller.
    private init(inside parent: borrowing MessageWriter, level: Level, types: UnsafeBufferPointer<UInt8>) {
        unsafe iterator = DBusMessageIter()
        unsafe self.types = types
        self.level = level
        depth = parent.depth + 1
        limit = parent.limit
        byteCount = parent.byteCount
    }

    /// The kind of value that must come next; nil when nothing may.
    public var expected: TypeCode? { unsafe types.first.flatMap(TypeCode.init(signatureByte:)) }

    /// True once something has failed: whatever is appended from now on is ignored.
    public var hasFailed: Bool { failure != nil }

    /// Gives up for a reason of the caller's own, who gets it back as the error.
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

    /// The message gets a duplicate; the descriptor stays the caller's.
    public mutating func append(_ value: FileDescriptor) { appendFixed(.fileDescriptor, value.rawValue) }

    /// `value` has the C type that libdbus reads for `code`.
    private mutating func appendFixed<T: BitwiseCopyable>(_ code: TypeCode, _ value: T) {
        guard take(code) else { return }
        count(padding: code.alignment, bytes: code.alignment)
        unsafe withUnsafePointer(to: value) { pointer in
            unsafe appendBasic(code, pointer)
        }
    }

    /// Text without NUL; with one it is a failure that shows the text.
    public mutating func append(_ value: String) { appendText(value, as: .string) }
    /// Appends an `o`.
    public mutating func append(_ value: ObjectPath) { appendText(value.text, as: .objectPath) }
    /// Appends a `g`.
    public mutating func append(_ value: Signature) { appendText(value.text, as: .signature) }

    private mutating func appendText(_ text: String, as code: TypeCode) {
        guard take(code) else { return }
        let length = text.utf8.count
        countText(length, as: code)
        guard failure == nil else { return }
        unsafe text.withCString { start in
            guard unsafe strlen(start) == length else { return note(.nul(text)) }
            unsafe appendTerminated(start, as: code)
        }
    }

    /// A string from UTF-8 bytes that are nowhere a `String`; bad UTF-8 and NUL are failures.
    public mutating func append(utf8 bytes: Span<UInt8>) {
        guard take(.string) else { return }
        countText(bytes.count, as: .string)
        guard failure == nil else { return }
        guard (try? UTF8Span(validating: bytes)) != nil else { return note(.notUTF8) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // libdbus wants a terminated string: a short one is copied to the stack.
            unsafe SignatureText.withTerminated(bytes) { start in
                guard unsafe strlen(start) == bytes.count else {
                    return note(.nul(unsafe String(decoding: bytes, as: UTF8.self)))
                }
                unsafe appendTerminated(start, as: .string)
            }
        }
    }

    private mutating func appendTerminated(_ start: UnsafePointer<CChar>, as code: TypeCode) {
        unsafe withUnsafePointer(to: start) { pointer in
            unsafe appendBasic(code, pointer)
        }
    }

    private mutating func appendBasic(_ code: TypeCode, _ value: UnsafeRawPointer) {
        guard failure == nil else { return }
        if unsafe dbus_message_iter_append_basic(&iterator, Int32(code.rawValue), value) == 0 { note(.noMemory) }
    }
}

// MARK: - Containers

extension MessageWriter {
    /// An array; `body` appends the elements.
    public mutating func array<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        guard let whole = unsafe takeContainer(.array) else { return }
        let element = unsafe UnsafeBufferPointer(rebasing: whole.dropFirst())
        count(padding: 4, bytes: 4)
        let kind = unsafe TypeCode(signatureByte: element[0])
        count(padding: kind?.alignment ?? 1, bytes: 0)
        let start = byteCount
        var inside = unsafe MessageWriter(inside: self, level: .array, types: element)
        try unsafe fill(&inside, .array, contained: element, body)
        if byteCount - start > 1 << 26 { note(.tooLarge(1 << 26)) }
    }

    /// A struct; `body` appends its members.
    public mutating func structure<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        try sequence(.structure, body)
    }

    /// One entry of a dictionary, inside of `array`; `body` appends the key and the value.
    public mutating func dictionaryEntry<E: Error>(_ body: (inout MessageWriter) throws(E) -> Void) throws(E) {
        try sequence(.dictionaryEntry, body)
    }

    private mutating func sequence<E: Error>(
        _ code: TypeCode, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        guard let whole = unsafe takeContainer(code) else { return }
        let members = unsafe UnsafeBufferPointer(rebasing: whole.dropFirst().dropLast())
        count(padding: 8, bytes: 0)
        var inside = unsafe MessageWriter(inside: self, level: .sequence, types: members)
        try unsafe fill(&inside, code, contained: nil, body)
    }

    /// A variant that holds one value of type `type`; `body` appends it.
    public mutating func variant<E: Error>(
        _ type: Signature, _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        guard unsafe takeContainer(.variant) != nil else { return }
        var text = type.text
        let result: Result<Void, E> = text.withUTF8 { bytes in
            guard unsafe !bytes.isEmpty && SignatureText.firstTypeLength(bytes) == bytes.count else {
                return .success(note(.notSingle(type)))
            }
            count(padding: 1, bytes: bytes.count + 2)
            var inside = unsafe MessageWriter(inside: self, level: .sequence, types: bytes)
            do throws(E) {
                return .success(try unsafe fill(&inside, .variant, contained: bytes, body))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Opens the container, runs `body`, closes it; gives the container up when anything failed, as libdbus wants.
    private mutating func fill<E: Error>(
        _ inside: inout MessageWriter, _ code: TypeCode, contained: UnsafeBufferPointer<UInt8>?,
        _ body: (inout MessageWriter) throws(E) -> Void
    ) throws(E) {
        guard failure == nil else { return }
        guard unsafe open(&inside, code, contained: contained) else { return note(.noMemory) }
        do throws(E) {
            try body(&inside)
        } catch {
            note(.abandoned)
            unsafe dbus_message_iter_abandon_container(&iterator, &inside.iterator)
            throw error
        }
        byteCount = inside.byteCount
        if let failure = inside.failure { note(failure) }
        if !inside.isComplete { note(.incomplete(code)) }
        guard failure == nil else {
            return unsafe dbus_message_iter_abandon_container(&iterator, &inside.iterator)
        }
        if unsafe dbus_message_iter_close_container(&iterator, &inside.iterator) == 0 { note(.noMemory) }
    }

    private mutating func open(
        _ inside: inout MessageWriter, _ code: TypeCode, contained: UnsafeBufferPointer<UInt8>?
    ) -> Bool {
        guard let contained = unsafe contained else {
            return unsafe dbus_message_iter_open_container(&iterator, Int32(code.rawValue), nil, &inside.iterator) != 0
        }
        return unsafe SignatureText.withTerminated(contained) { text in
            unsafe dbus_message_iter_open_container(&iterator, Int32(code.rawValue), text, &inside.iterator) != 0
        }
    }
}

// MARK: - Checks

extension MessageWriter {
    /// Checks that a value of kind `code` may come now, and moves on in the signature.
    private mutating func take(_ code: TypeCode) -> Bool {
        guard failure == nil else { return false }
        guard let first = unsafe types.first, first == code.rawValue else {
            note(.mismatch(expected: expected, got: code))
            return false
        }
        if level == .sequence { unsafe types = UnsafeBufferPointer(rebasing: types.dropFirst()) }
        return true
    }

    /// The same for a container; answers its whole type.
    private mutating func takeContainer(_ code: TypeCode) -> UnsafeBufferPointer<UInt8>? {
        guard failure == nil else { return nil }
        guard expected == code else {
            note(.mismatch(expected: expected, got: code))
            return nil
        }
        guard depth < 64 else {
            note(.tooDeep)
            return nil
        }
        let length = unsafe SignatureText.firstTypeLength(types)
        let whole = unsafe UnsafeBufferPointer(rebasing: types.prefix(length))
        if level == .sequence { unsafe types = UnsafeBufferPointer(rebasing: types.dropFirst(length)) }
        return unsafe whole
    }

    private mutating func count(padding alignment: Int, bytes: Int) {
        byteCount = (byteCount + alignment - 1) & ~(alignment - 1) + bytes
        if byteCount > limit { note(.tooLarge(limit)) }
    }

    private mutating func countText(_ length: Int, as code: TypeCode) {
        if code == .signature {
            count(padding: 1, bytes: length + 2)
        } else {
            count(padding: 4, bytes: length + 5)
        }
    }

    private mutating func note(_ reason: WriteFailure) {
        if failure == nil { failure = reason }
    }
}

// MARK: - Elements in one piece

extension MessageWriter {
    /// All elements of the array that this writer is inside of.
    mutating func appendFixedElements<T: FixedElement>(_ elements: Span<T>) {
        guard take(T.typeCode) else { return }
        guard elements.count <= (1 << 26) / MemoryLayout<T>.stride else { return note(.tooLarge(1 << 26)) }
        count(padding: T.typeCode.alignment, bytes: elements.count * MemoryLayout<T>.stride)
        guard failure == nil, !elements.isEmpty else { return }
        unsafe elements.withUnsafeBufferPointer { buffer in
            unsafe withUnsafePointer(to: buffer.baseAddress) { pointer in
                let appended = unsafe dbus_message_iter_append_fixed_array(
                    &iterator, Int32(T.typeCode.rawValue), pointer, Int32(buffer.count))
                if appended == 0 { note(.noMemory) }
            }
        }
    }
}
