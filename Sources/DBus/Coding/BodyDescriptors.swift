// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The file descriptors of a message, by their index in it.
///
/// Only libdbus' iterators return them. So when the first one is asked for, an iterator and a reader walk over the body
/// once, side by side: the iterator has the descriptors, the reader their indexes. The table owns the descriptors that
/// it found.
@safe
final class BodyDescriptors {
    /// The message, which the maker of the reader keeps alive; used on the loop thread only. Nil = it has no
    /// descriptors.
    private let raw: OpaquePointer?
    private var found: [UInt32: FileDescriptor]?
    /// Whether one could not be duplicated because the process can open no more.
    private var isExhausted = false

    init(_ raw: OpaquePointer?) { unsafe self.raw = unsafe raw }

    /// A fresh duplicate that the caller must close.
    ///
    /// - Throws: `InvalidArgs` when the message came without such a descriptor, `LimitsExceeded` when the process can open no
    ///   more.
    func duplicate(_ number: UInt32, of body: MessageBody) throws(DBusError) -> Int32 {
        if found == nil { collect(from: body) }
        guard found?[number] != nil || isExhausted else {
            throw .invalidArgs("the message came without its file descriptor \(number)")
        }
        let duplicate = found?[number].map { fcntl($0.rawValue, F_DUPFD_CLOEXEC, 3) } ?? -1
        guard duplicate >= 0 else { throw .limitsExceeded("no more file descriptors can be taken in") }
        return duplicate
    }

    private func collect(from body: MessageBody) {
        found = [:]
        var iterator = unsafe DBusMessageIter()
        guard let raw = unsafe raw, unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return }
        var reader = MessageReader(body)
        unsafe collect(&reader, &iterator)
    }

    private func collect(_ reader: inout MessageReader, _ iterator: inout DBusMessageIter) {
        while let code = reader.next {
            if code == .fileDescriptor {
                unsafe recordDescriptor(&reader, &iterator)
            } else if !code.isBasic, reader.withNextSignature({ BodyDescriptors.mayHoldDescriptors($0) }) {
                unsafe collectInside(code, &reader, &iterator)
            } else {
                reader.skip()
            }
            unsafe dbus_message_iter_next(&iterator)
        }
    }

    /// One duplicate for each index is enough, however often the index occurs.
    private func recordDescriptor(_ reader: inout MessageReader, _ iterator: inout DBusMessageIter) {
        guard let number = try? reader.consumeNumber(UInt32.self) else { return reader.giveUp() }
        reader.passType()
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

    private func collectInside(_ code: TypeCode, _ reader: inout MessageReader, _ iterator: inout DBusMessageIter) {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        let search = { (inside: inout MessageReader) throws(DBusError) in unsafe self.collect(&inside, &inner) }
        do throws(DBusError) {
            switch code {
            case .array: try reader.array(search)
            case .structure: try reader.structure(search)
            case .dictionaryEntry: try reader.dictionaryEntry(search)
            default: try reader.variant(search)
            }
        } catch {
            reader.giveUp()
        }
    }

    private static func mayHoldDescriptors(_ types: Span<UInt8>) -> Bool {
        types.indices.contains {
            types[$0] == TypeCode.fileDescriptor.rawValue || types[$0] == TypeCode.variant.rawValue
        }
    }
}
