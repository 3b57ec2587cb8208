internal import CDBus
internal import Glibc

/// Reads values out of a message's body, one after the other.
///
/// A reader exists only inside the closure that it is handed to. Asking for another type than the one that comes next
/// throws `InvalidArgs` and leaves the reader where it is; nothing here can trap or abort. Values that are not wanted
/// can be skipped. Text and number arrays can be looked at in place, without a copy.
@safe
public struct MessageReader: ~Copyable {
    /// Points into the message, which the closure's caller keeps alive.
    var iterator: DBusMessageIter

    init(iterator: DBusMessageIter) {
        unsafe self.iterator = iterator
    }

    private init(inside parent: inout MessageReader) {
        unsafe iterator = DBusMessageIter()
        unsafe dbus_message_iter_recurse(&parent.iterator, &iterator)
    }

    /// The kind of the next value; nil behind the last one.
    public var next: TypeCode? { unsafe look { unsafe MessageReader.code(dbus_message_iter_get_arg_type($0)) } }

    /// True when there is nothing more at this level.
    public var atEnd: Bool { unsafe look { unsafe dbus_message_iter_get_arg_type($0) == 0 } }

    /// The kind of the elements of the array that comes next; nil when another value comes next.
    public var nextElement: TypeCode? {
        guard next == .array else { return nil }
        return unsafe look { unsafe MessageReader.code(dbus_message_iter_get_element_type($0)) }
    }

    /// The whole type of the next value; empty behind the last one. Costs an allocation.
    public var nextSignature: Signature {
        guard !atEnd, let text = unsafe look({ unsafe dbus_message_iter_get_signature($0) }) else { return .empty }
        defer { unsafe dbus_free(text) }
        return Signature(unchecked: unsafe String(cString: text))
    }

    private static func code(_ value: Int32) -> TypeCode? { TypeCode(rawValue: UInt8(truncatingIfNeeded: value)) }

    /// For functions that look without moving, though C does not say so.
    private func look<R>(_ body: (UnsafeMutablePointer<DBusMessageIter>) -> R) -> R {
        unsafe withUnsafePointer(to: iterator) { pointer in
            unsafe body(UnsafeMutablePointer(mutating: pointer))
        }
    }

    /// Moves behind the next value, whatever it is; does nothing behind the last one.
    public mutating func skip() {
        guard !atEnd else { return }
        unsafe dbus_message_iter_next(&iterator)
    }
}

// MARK: - Basic values

extension MessageReader {
    /// Takes a `y`.
    public mutating func readUInt8() throws(DBusError) -> UInt8 { try readFixed(.byte, UInt8(0)) }
    /// Takes a `n`.
    public mutating func readInt16() throws(DBusError) -> Int16 { try readFixed(.int16, Int16(0)) }
    /// Takes a `q`.
    public mutating func readUInt16() throws(DBusError) -> UInt16 { try readFixed(.uint16, UInt16(0)) }
    /// Takes a `i`.
    public mutating func readInt32() throws(DBusError) -> Int32 { try readFixed(.int32, Int32(0)) }
    /// Takes a `u`.
    public mutating func readUInt32() throws(DBusError) -> UInt32 { try readFixed(.uint32, UInt32(0)) }
    /// Takes a `x`.
    public mutating func readInt64() throws(DBusError) -> Int64 { try readFixed(.int64, Int64(0)) }
    /// Takes a `t`.
    public mutating func readUInt64() throws(DBusError) -> UInt64 { try readFixed(.uint64, UInt64(0)) }
    /// Takes a `d`.
    public mutating func readDouble() throws(DBusError) -> Double { try readFixed(.double, 0.0) }
    /// Takes a `b`.
    public mutating func readBool() throws(DBusError) -> Bool { try readFixed(.boolean, UInt32(0)) != 0 }

    /// A descriptor of the caller's own.
    ///
    /// - Throws: also `InconsistentMessage` when the message has no such descriptor, or the process can open no more.
    public mutating func readFileDescriptor() throws(DBusError) -> FileDescriptor {
        FileDescriptor(adopting: try readRawDescriptor())
    }

    /// A fresh duplicate that the caller must close.
    mutating func readRawDescriptor() throws(DBusError) -> Int32 {
        let descriptor = try readFixed(.fileDescriptor, Int32(-1))
        guard descriptor >= 0 else {
            throw DBusError(.inconsistentMessage, "a file descriptor of the message could not be taken out")
        }
        return descriptor
    }

    /// Takes an `s`.
    public mutating func readString() throws(DBusError) -> String { try readText(.string) }

    /// Takes an `o`.
    public mutating func readObjectPath() throws(DBusError) -> ObjectPath {
        ObjectPath(unchecked: try readText(.objectPath))
    }

    /// Takes a `g`.
    public mutating func readSignature() throws(DBusError) -> Signature {
        Signature(unchecked: try readText(.signature))
    }

    /// Shows the UTF-8 bytes of a string, path or signature where they stand in the message, without NUL.
    public mutating func readUTF8<R>(
        _ body: (Span<UInt8>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard let code = next, code == .string || code == .objectPath || code == .signature else {
            throw mismatch(.string)
        }
        let text = try unsafe readTextPointer(code)
        let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
        return try unsafe bytes.withMemoryRebound(to: UInt8.self) { (bytes) throws(DBusError) in
            try unsafe body(Span(_unsafeElements: bytes))
        }
    }

    /// `value` only gives the C type that libdbus writes for `code`.
    private mutating func readFixed<T: BitwiseCopyable>(_ code: TypeCode, _ value: T) throws(DBusError) -> T {
        guard next == code else { throw mismatch(code) }
        var value = value
        unsafe withUnsafeMutablePointer(to: &value) { pointer in
            unsafe dbus_message_iter_get_basic(&iterator, pointer)
        }
        unsafe dbus_message_iter_next(&iterator)
        return value
    }

    private mutating func readText(_ code: TypeCode) throws(DBusError) -> String {
        unsafe String(cString: try readTextPointer(code))
    }

    private mutating func readTextPointer(_ code: TypeCode) throws(DBusError) -> UnsafePointer<CChar> {
        let text = try unsafe readFixed(code, UnsafePointer<CChar>?.none)
        guard let text = unsafe text else { throw DBusError(.inconsistentMessage, "text without an address") }
        return unsafe text
    }

    func mismatch(_ wanted: TypeCode) -> DBusError {
        guard let code = next else {
            return .invalidArgs("a value of type “\(wanted)” is missing")
        }
        return .invalidArgs("a value has type “\(code)” where “\(wanted)” belongs")
    }
}

// MARK: - Containers

extension MessageReader {
    /// An array: `body` reads the elements, until `atEnd`; what it leaves is skipped.
    public mutating func array<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try container(.array, body)
    }

    /// A struct: `body` reads the members.
    public mutating func structure<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try container(.structure, body)
    }

    /// One entry of a dictionary, inside of `array`: `body` reads the key and the value.
    public mutating func dictionaryEntry<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try container(.dictionaryEntry, body)
    }

    /// A variant: `body` reads the one value in it, whose kind it asks with `next`.
    public mutating func variant<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try container(.variant, body)
    }

    /// An array of numbers where it stands in the message, in one piece.
    public mutating func fixedArray<T: FixedElement, R>(
        of type: T.Type, _ body: (Span<T>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard next == .array, nextElement == T.typeCode else { throw mismatch(.array) }
        return try array { (inside) throws(DBusError) -> R in
            var start: UnsafePointer<T>?
            var count: Int32 = 0
            unsafe dbus_message_iter_get_fixed_array(&inside.iterator, &start, &count)
            let elements = unsafe UnsafeBufferPointer(start: count > 0 ? start : nil, count: max(0, Int(count)))
            return try unsafe body(Span(_unsafeElements: elements))
        }
    }

    /// The reader moves behind the container even when `body` throws.
    private mutating func container<R>(
        _ code: TypeCode, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard next == code else { throw mismatch(code) }
        var inside = MessageReader(inside: &self)
        unsafe dbus_message_iter_next(&iterator)
        return try body(&inside)
    }
}
