// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListKit
internal import ListSupport

/// The part of a file's ELF header that shows whether this machine's dynamic loader can load the file (elf(5)).
struct ELFHeader {
    private static let length = 20
    private let bytes: [UInt8]

    /// Reads the header. Of a file that is shorter than a header, all bytes are read, and ``check(_:)`` throws.
    init(of path: String) throws(ListError) {
        // O_NONBLOCK: opening must not block, even if the path has become a FIFO.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) cannot be read", cause: SystemError.text(errno))
        }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.length)
        // The buffer is a local array, and `read` gets its length.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        bytes = Array(buffer.prefix(max(0, count)))
    }

    /// Makes a header from bytes.
    init(bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(Self.length))
    }

    /// Checks that the file is a shared object for this machine.
    func check(_ path: String) throws(ListError) {
        guard bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not an ELF file")
        }
        guard bytes.count == Self.length, bytes[4] == 2, bytes[5] == 1 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not a 64-bit little-endian ELF file")
        }
        let type = UInt16(bytes[16]) | UInt16(bytes[17]) << 8
        guard type == 3 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not a shared object (ELF type \(type))")
        }
        let machine = UInt16(bytes[18]) | UInt16(bytes[19]) << 8
        guard machine == Self.thisMachine else {
            throw ListError(
                .pluginRefused,
                "\(path.shortenedPath) is built for ELF machine \(machine), but this machine is \(Self.thisMachine)")
        }
    }

    #if arch(x86_64)
    private static let thisMachine: UInt16 = 62
    #elseif arch(arm64)
    private static let thisMachine: UInt16 = 183
    #elseif arch(riscv64)
    private static let thisMachine: UInt16 = 243
    #endif
}
