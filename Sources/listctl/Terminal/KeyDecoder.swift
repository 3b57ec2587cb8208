/// Turns the bytes of a terminal into keys: UTF-8 characters, control characters and the escape sequences of xterm.
///
/// Bytes may arrive cut anywhere; what is not complete waits for the next read. A lone escape at the end of a read is the
/// Escape key, because terminals send a sequence in one piece.
struct KeyDecoder {
    private var waiting: [UInt8] = []

    /// Takes what a read gave and answers the keys it completes; bytes that mean nothing are skipped.
    mutating func decode(_ bytes: [UInt8]) -> [Key] {
        waiting += bytes
        var keys: [Key] = []
        while let (key, length) = next() {
            if let key { keys.append(key) }
            waiting.removeFirst(length)
        }
        return keys
    }

    /// The next key and how many bytes it takes; nil when more bytes are needed. The key is nil for what is skipped.
    private func next() -> (key: Key?, length: Int)? {
        guard let first = waiting.first else { return nil }
        switch first {
        case 0x1B: return escapeSequence()
        case 0x03, 0x04: return (.interrupt, 1)
        case 0x0C: return (.redraw, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0..<0x20: return (nil, 1)
        default: return character(first)
        }
    }

    private func character(_ first: UInt8) -> (key: Key?, length: Int)? {
        let length =
            switch first {
            case 0..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return (nil, 1) }
        guard waiting.count >= length else { return nil }
        guard let text = String(validating: waiting.prefix(length), as: UTF8.self), let character = text.first else {
            return (nil, 1)
        }
        return (.character(character), length)
    }

    private func escapeSequence() -> (key: Key?, length: Int)? {
        guard waiting.count > 1 else { return (.escape, 1) }
        guard waiting[1] == UInt8(ascii: "[") || waiting[1] == UInt8(ascii: "O") else { return (.escape, 1) }
        guard let last = waiting.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return waiting.count > 16 ? (nil, waiting.count) : nil
        }
        return (Self.key(forSequence: waiting[2...last]), last + 1)
    }

    private static func key(forSequence bytes: ArraySlice<UInt8>) -> Key? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        case "5~": .pageUp
        case "6~": .pageDown
        default: nil
        }
    }
}
