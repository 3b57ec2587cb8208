// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A D-Bus value of any type, together with its type.
///
/// Use it for values whose type is not known in advance: options, variants, tools. Where the type is known, encode
/// and decode Swift types directly (`DBusEncodable`), and use cursors for large data.
public indirect enum DBusValue: Equatable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case fileDescriptor(FileDescriptor)
    /// An array of elements of one type. The type is stored because the array may be empty.
    case array(element: Signature, [DBusValue])
    /// A dictionary with its entries in the order of the message. Repeated keys are kept.
    case dictionary(key: Signature, value: Signature, [Entry])
    case structure([DBusValue])
    case variant(DBusValue)

    /// One entry of a dictionary.
    public struct Entry: Equatable, Sendable {
        /// The key, which is a basic value.
        public let key: DBusValue
        /// The value, of any type.
        public let value: DBusValue

        /// Creates an entry from a key and a value.
        public init(key: DBusValue, value: DBusValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value's type.
    ///
    /// - Complexity: O(number of types in the value), not counting the elements of arrays.
    public var signature: Signature {
        var text = ""
        appendSignature(to: &text)
        return Signature(unchecked: text)
    }

    private func appendSignature(to text: inout String) {
        switch self {
        case .array(let element, _): text += "a" + element.text
        case .dictionary(let key, let value, _): text += "a{\(key)\(value)}"
        case .structure(let members):
            text += "("
            for member in members { member.appendSignature(to: &text) }
            text += ")"
        default: text.unicodeScalars.append(UnicodeScalar(code.rawValue))
        }
    }

    /// The value's kind.
    public var code: TypeCode {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .fileDescriptor: .fileDescriptor
        case .array, .dictionary: .array
        case .structure: .structure
        case .variant: .variant
        }
    }
}

// MARK: - Short forms

extension DBusValue {
    /// Returns an array of strings (`as`).
    public static func strings(_ strings: some Sequence<String>) -> DBusValue {
        .array(element: "s", strings.map { .string($0) })
    }

    /// Returns a dictionary of type `a{sv}`, sorted by key. Each value is wrapped in a variant.
    public static func options(_ options: [String: DBusValue]) -> DBusValue {
        let entries = options.sorted { $0.key < $1.key }.map { Entry(key: .string($0.key), value: .variant($0.value)) }
        return .dictionary(key: "s", value: "v", entries)
    }

    /// The value inside of a variant, at any depth; any other value unchanged.
    public var unwrapped: DBusValue {
        if case .variant(let inner) = self { inner.unwrapped } else { self }
    }
}

/// An open file descriptor that this object owns and closes when it is released.
///
/// Sending and receiving duplicate the descriptor; all duplicates are close-on-exec.
public final class FileDescriptor: Sendable {
    /// The descriptor's number, valid during this object's lifetime.
    public let rawValue: Int32

    /// Takes ownership of an open descriptor.
    public init(adopting rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Duplicates a descriptor that has another owner.
    ///
    /// - Throws: `InvalidArgs` when `other` is not open, `LimitsExceeded` when the process can open no more
    ///   descriptors.
    public init(duplicating other: Int32) throws(DBusError) {
        rawValue = fcntl(other, F_DUPFD_CLOEXEC, 3)
        guard rawValue >= 0 else {
            throw errno == EBADF
                ? .invalidArgs("descriptor \(other) is not open")
                : .limitsExceeded("descriptor \(other) could not be duplicated (errno \(errno))")
        }
    }

    deinit {
        close(rawValue)
    }
}

extension FileDescriptor: Equatable {
    /// Returns whether both are the same open descriptor of this process.
    public static func == (left: FileDescriptor, right: FileDescriptor) -> Bool { left === right }
}
