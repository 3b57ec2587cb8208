// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// A table of the file descriptors of a message, by their index in the message.
///
/// Only libdbus' iterators return descriptors. On the first access, an iterator and a reader move over the body side
/// by side: the iterator returns the descriptors, the reader their indexes. The table owns the descriptors that it
/// found.
@safe
final class BodyDescriptors {
    /// The message; nil if it has no descriptors. It is used on the loop thread only, and the code that creates the
    /// message's reader keeps it alive.
    private let raw: OpaquePointer?
    private var found: [UInt32: FileDescriptor]?
    /// Whether a descriptor could not be duplicated because the process can open no more.
    private var isExhausted = false

    init(_ raw: OpaquePointer?) { unsafe self.raw = unsafe raw }

    /// Returns a new duplicate of a descriptor, which the caller must close.
    ///
    /// - Throws: `InvalidArgs` when the message has no descriptor of this index, `LimitsExceeded` when the process
    ///   can open no more descriptors.
    func duplicate(at index: UInt32, of body: MessageBody) throws(DBusError) -> Int32 {
        if found == nil { collectDescriptors(of: body) }
        guard found?[index] != nil || isExhausted else {
            throw .invalidArgs("the message lacks its file descriptor \(index)")
        }
        let duplicate = found?[index].map { fcntl($0.rawValue, F_DUPFD_CLOEXEC, 3) } ?? -1
        guard duplicate >= 0 else { throw .limitsExceeded("the process has reached its limit of file descriptors") }
        return duplicate
    }

    private func collectDescriptors(of body: MessageBody) {
        found = [:]
        var iterator = unsafe DBusMessageIter()
        guard let raw = unsafe raw, unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return }
        var reader = MessageReader(body)
        unsafe collectDescriptors(from: &reader, alongside: &iterator)
    }

    private func collectDescriptors(from reader: inout MessageReader, alongside iterator: inout DBusMessageIter) {
        while let code = reader.next {
            if code == .fileDescriptor {
                unsafe recordDescriptor(from: &reader, alongside: &iterator)
            } else if !code.isBasic, reader.withNextSignature({ BodyDescriptors.mayHoldDescriptors($0) }) {
                unsafe collectDescriptors(inContainer: code, from: &reader, alongside: &iterator)
            } else {
                reader.skip()
            }
            unsafe dbus_message_iter_next(&iterator)
        }
    }

    /// Stores one duplicate for each index, even if the index occurs several times in the body.
    private func recordDescriptor(from reader: inout MessageReader, alongside iterator: inout DBusMessageIter) {
        guard let number = try? reader.consumeNumber(UInt32.self) else { return reader.moveToEnd() }
        reader.advanceType()
        guard found?[number] == nil else { return }
        var descriptor: Int32 = -1
        errno = 0
        unsafe dbus_message_iter_get_basic(&iterator, &descriptor)
        if descriptor >= 0 {
            found?[number] = FileDescriptor(adopting: descriptor)
        } else if errno == EMFILE || errno == ENFILE {
            isExhausted = true
        }
    }

    private func collectDescriptors(
        inContainer code: TypeCode, from reader: inout MessageReader, alongside iterator: inout DBusMessageIter
    ) {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        let search = { (inside: inout MessageReader) throws(DBusError) in
            unsafe self.collectDescriptors(from: &inside, alongside: &inner)
        }
        do throws(DBusError) {
            switch code {
            case .array: try reader.array(search)
            case .structure: try reader.structure(search)
            case .dictionaryEntry: try reader.dictionaryEntry(search)
            default: try reader.variant(search)
            }
        } catch {
            reader.moveToEnd()
        }
    }

    private static func mayHoldDescriptors(_ types: Span<UInt8>) -> Bool {
        types.indices.contains {
            types[$0] == TypeCode.fileDescriptor.rawValue || types[$0] == TypeCode.variant.rawValue
        }
    }
}
