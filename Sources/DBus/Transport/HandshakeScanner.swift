// SPDX-License-Identifier: Apache-2.0

/// A scanner that finds the end of the authentication lines, after which messages begin.
///
/// The last line is `BEGIN` (D-Bus specification, "Authentication Protocol"). It may arrive in pieces, or together
/// with the first messages.
struct HandshakeScanner {
    private static let last = Array("BEGIN".utf8)

    /// The beginning of the current line, long enough to recognise `BEGIN` and the character after it.
    private var line: [UInt8] = []
    private var previous: UInt8 = 0
    /// Whether no byte was scanned yet. The first byte of a connection is not part of a line.
    private var isFirst = true

    /// Scans the next bytes.
    ///
    /// - Returns: the number of bytes after the last line; nil while the last line is incomplete.
    mutating func consume(_ bytes: some Collection<UInt8>) -> Int? {
        var left = bytes.count
        for byte in bytes {
            left -= 1
            if isFirst {
                isFirst = false
            } else if byte == UInt8(ascii: "\n"), previous == UInt8(ascii: "\r") {
                if isLast { return left }
                line = []
            } else if line.count <= Self.last.count {
                line.append(byte)
            }
            previous = byte
        }
        return nil
    }

    /// Whether the current line is `BEGIN`, possibly followed by arguments or the carriage return.
    private var isLast: Bool {
        line.starts(with: Self.last)
            && (line.count == Self.last.count || line.last == UInt8(ascii: " ") || line.last == UInt8(ascii: "\r"))
    }
}
