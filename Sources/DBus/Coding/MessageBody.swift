internal import CDBus
internal import Glibc

/// The bytes of a message's body and their types, for as long as a reader exists.
@safe
@usableFromInline
struct MessageBody {
    /// In this machine's byte order, aligned to 8.
    let bytes: UnsafeRawBufferPointer
    /// The signature.
    let types: UnsafeBufferPointer<UInt8>
    /// The message, which the maker keeps alive; used on the loop thread only.
    private let raw: OpaquePointer

    /// Lends the body of a message.
    ///
    /// - Throws: `NoMemory`; `InconsistentMessage` for bytes that libdbus would not have let in.
    static func with<R>(
        _ raw: OpaquePointer, _ body: (MessageBody) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        // libdbus brings the message into this machine's byte order before somebody reads it.
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(raw, &iterator) != 0, let signature = unsafe dbus_message_get_signature(raw)
        else {
            let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            return try unsafe body(MessageBody(bytes: UnsafeRawBufferPointer(none), types: none, raw: raw))
        }
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard unsafe dbus_message_marshal(raw, &start, &count) != 0, let start = unsafe start else {
            throw DBusError(.noMemory, "no memory to read a message")
        }
        defer { unsafe dbus_free(start) }
        let message = unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
        let types = unsafe UnsafeRawBufferPointer(start: signature, count: strlen(signature)).bindMemory(to: UInt8.self)
        return try unsafe body(MessageBody(bytes: bytes(ofBodyIn: message), types: types, raw: raw))
    }

    /// What follows the header (D-Bus specification, Message Format): 16 bytes, of which the last four count those of the
    /// fields behind them, padded to 8.
    private static func bytes(ofBodyIn message: UnsafeRawBufferPointer) throws(DBusError) -> UnsafeRawBufferPointer {
        guard message.count >= 16 else { throw MessageReader.truncated }
        let order = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")
        let fields = unsafe Int(message.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let start = (16 + fields + 7) & -8
        guard unsafe message[0] == order, start <= message.count else { throw MessageReader.truncated }
        return unsafe UnsafeRawBufferPointer(rebasing: message[start...])
    }
}

// MARK: - File descriptors

extension MessageBody {
    /// A duplicate of the descriptor whose number stands at a place of the body; only libdbus' iterators hand them out.
    func descriptor(at place: Int) -> Int32? {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return nil }
        var reader = MessageReader(self)
        let found = unsafe MessageBody.find(place, &reader, &iterator)
        return found.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Walks over the same values with a reader, which knows places, and an iterator, which knows descriptors.
    private static func find(_ place: Int, _ reader: inout MessageReader, _ iterator: inout DBusMessageIter) -> Int32? {
        while let code = reader.next {
            if code == .fileDescriptor, reader.aligned(code.alignment) == place {
                var descriptor: Int32 = -1
                unsafe dbus_message_iter_get_basic(&iterator, &descriptor)
                return descriptor
            }
            if !code.isBasic, let found = unsafe findInside(code, place, &reader, &iterator) { return found }
            if code.isBasic { reader.skip() }
            unsafe dbus_message_iter_next(&iterator)
        }
        return nil
    }

    private static func findInside(
        _ code: TypeCode, _ place: Int, _ reader: inout MessageReader, _ iterator: inout DBusMessageIter
    ) -> Int32? {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        let search = { (inside: inout MessageReader) throws(DBusError) -> Int32? in
            unsafe find(place, &inside, &inner)
        }
        do throws(DBusError) {
            switch code {
            case .array: return try reader.array(search)
            case .structure: return try reader.structure(search)
            case .dictionaryEntry: return try reader.dictionaryEntry(search)
            default: return try reader.variant(search)
            }
        } catch {
            return nil
        }
    }
}
