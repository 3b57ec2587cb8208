// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
