// SPDX-License-Identifier: Apache-2.0

/// Finds where the lines of authentication end and the messages begin, in what a client sends.
///
/// The last line is `BEGIN` (D-Bus specification, Authentication Protocol); it need not come in one piece, and what follows it
/// may come with it.
struct HandshakeScanner {
    private static let last = Array("BEGIN".utf8)

    /// The beginning of the line that is not complete yet: as much as tells `BEGIN`, and the character behind it.
    private var line: [UInt8] = []
    private var previous: UInt8 = 0
    /// The first byte of a connection belongs to no line.
    private var isFirst = true

    /// Takes the next bytes in.
    ///
    /// - Returns: how many of them stand behind the last line; nil = it is still to come.
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

    /// Words may stand behind the command; the line's end may be among what is kept.
    private var isLast: Bool {
        line.starts(with: Self.last)
            && (line.count == Self.last.count || line.last == UInt8(ascii: " ") || line.last == UInt8(ascii: "\r"))
    }
}
