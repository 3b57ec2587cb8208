// SPDX-License-Identifier: Apache-2.0

/// Finds the end of the authentication lines and the beginning of the messages in received bytes.
///
/// The last line is `BEGIN` (D-Bus specification, Authentication Protocol); it may arrive in pieces, or together with
/// the first messages.
struct HandshakeScanner {
    private static let last = Array("BEGIN".utf8)

    /// The beginning of the incomplete line: enough to recognise `BEGIN`, and the character after it.
    private var line: [UInt8] = []
    private var previous: UInt8 = 0
    /// The first byte of a connection belongs to no line.
    private var isFirst = true

    /// Consumes the next bytes.
    ///
    /// - Returns: how many of them follow the last line; nil = it has not arrived yet.
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

    /// Words may follow the command; the line's end may be in the kept part.
    private var isLast: Bool {
        line.starts(with: Self.last)
            && (line.count == Self.last.count || line.last == UInt8(ascii: " ") || line.last == UInt8(ascii: "\r"))
    }
}
