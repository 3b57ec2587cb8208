// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSources

/// An encoded order or report: its bytes, or for a large one a sealed memory file (memfd_create(2)) that contains them.
enum WorkerPacket: Sendable {
    case bytes([UInt8])
    case file(FileDescriptor)

    /// The maximum size of an encoded value that is sent on the socket, in bytes. A larger one would block the socket
    /// for other packets.
    private static let inlineBytes = 256 << 10
    /// The maximum size of an encoded value, in bytes.
    static let maximumBytes = 256 << 20

    /// Encodes a value.
    ///
    /// - Throws: `limitsExceeded` for a value larger than ``maximumBytes``, and when there is no memory for the file.
    init(_ value: some WireCodable) throws(ListError) {
        let bytes = WireWriter.bytes(of: value)
        guard bytes.count <= Self.maximumBytes else {
            throw ListError(
                .limitsExceeded,
                "a message between listd and a worker has \(bytes.count) bytes, more than \(Self.maximumBytes)")
        }
        self =
            bytes.count > Self.inlineBytes
            ? .file(try SealedMemory.file(named: "listd worker", containing: bytes)) : .bytes(bytes)
    }

    /// The memory that the encoded value takes in the process that reads it, in bytes.
    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): Self.size(of: file) ?? 0
        }
    }

    /// The maximum size of a light packet, in bytes. Decoding so many bytes takes about as long as a change of threads.
    private static let lightBytes = 16 << 10

    /// Whether the event loop decodes the packet itself.
    var isLight: Bool {
        if case .bytes(let bytes) = self { bytes.count <= Self.lightBytes } else { false }
    }

    /// Decodes the value.
    func value<Value: WireCodable>(of type: Value.Type = Value.self) throws(WireError) -> Value {
        switch self {
        case .bytes(let bytes): try WireReader.value(of: type, from: bytes)
        case .file(let file): try WireReader.value(of: type, from: Self.contents(of: file))
        }
    }

    private static func size(of file: FileDescriptor) -> Int? {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, listd_is_sealed(file.rawValue) == 1 else { return nil }
        return Int(status.st_size)
    }

    /// Reads a sealed memory file. Other files are refused, as reading them could block.
    private static func contents(of file: FileDescriptor) throws(WireError) -> [UInt8] {
        guard let size = size(of: file), size <= maximumBytes else {
            throw WireError("the memory file of a message is not sealed, or is too large")
        }
        var count = 0
        // The capacity of the array is the number of requested bytes.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
            while count < size {
                let read = unsafe pread(
                    file.rawValue, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
                guard read > 0 else { break }
                count += read
            }
            used = count
        }
        guard count == size else {
            throw WireError("only \(count) of the \(size) bytes of a memory file could be read")
        }
        return bytes
    }
}
