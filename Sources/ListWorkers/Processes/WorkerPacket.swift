// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSources

/// A value on its way between the daemon and a worker: its bytes, or a memory file with them when they are many.
enum WorkerPacket: Sendable {
    case bytes([UInt8])
    case file(FileDescriptor)

    /// More bytes than this go through a memory file, so that the socket is not blocked for others.
    private static let inlineBytes = 256 << 10
    /// The most bytes that one value may take.
    static let maximumBytes = 256 << 20

    /// Encodes a value.
    ///
    /// - Throws: `limitsExceeded` for one that takes too much, and without memory for it.
    init(_ value: some WireCodable) throws(ListError) {
        let bytes = WireWriter.bytes(of: value)
        guard bytes.count <= Self.maximumBytes else {
            throw ListError(.limitsExceeded, "\(bytes.count) bytes at once between listd and a worker")
        }
        self =
            bytes.count > Self.inlineBytes
            ? .file(try SealedMemory.file(named: "listd worker", containing: bytes)) : .bytes(bytes)
    }

    /// How much of the reader's memory the value takes.
    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): Self.size(of: file) ?? 0
        }
    }

    /// The most bytes that take about as long to decode as a change of threads would.
    private static let lightBytes = 16 << 10

    /// Whether the loop decodes it itself.
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

    /// Only a memory file that nobody can change is read: anything else could keep the reader waiting.
    private static func contents(of file: FileDescriptor) throws(WireError) -> [UInt8] {
        guard let size = size(of: file), size <= maximumBytes else { throw WireError("a sealed memory file") }
        var count = 0
        // The array has room for as many bytes as are asked for.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
            while count < size {
                let read = unsafe pread(
                    file.rawValue, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
                guard read > 0 else { break }
                count += read
            }
            used = count
        }
        guard count == size else { throw WireError("the whole of a memory file") }
        return bytes
    }
}
