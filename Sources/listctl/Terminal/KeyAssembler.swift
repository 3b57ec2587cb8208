// SPDX-License-Identifier: Apache-2.0

/// Puts the bytes that a terminal sends together to whole keys, reports of the mouse and characters. Pure.
///
/// ncurses waits a moment for the rest of a key, then takes its first byte for an Escape and the others for letters, which are
/// commands: of a terminal at the other end of ssh, or on a busy machine, bytes may come one by one.
struct KeyAssembler {
    /// What the next byte belongs to.
    private enum Stage {
        case key
        /// An escape came: a key of its own, or the begin of a sequence.
        case escape
        /// An escape was handed on as a key of its own, which it may not have been.
        case lateEscape
        /// Parameters of a sequence, or its end.
        case parameters
        /// So many bytes of a sequence are missing.
        case sequence(Int)
        /// So many bytes of a character are missing.
        case character(Int)
    }

    private static let escape: UInt8 = 0x1B
    /// No key's sequence is that long.
    private static let mostBytes = 64

    private var stage = Stage.key
    private var kept: [UInt8] = []

    /// How long the next byte is waited for before ``giveUp()``, in milliseconds; nil when none is missing.
    ///
    /// An Escape is a key that somebody waits for; of a sequence that has begun the rest comes.
    var patience: Int? {
        switch stage {
        case .key: nil
        case .escape: 100
        case .lateEscape, .parameters, .sequence, .character: 1000
        }
    }

    /// Takes a byte; answers the bytes of the key that is whole with it, or none.
    mutating func consume(_ byte: UInt8) -> [UInt8] {
        // No sequence contains another one: of one that is cut off nothing is left.
        if byte == Self.escape {
            let before = if case .escape = stage { kept } else { [UInt8]() }
            (stage, kept) = (.escape, [byte])
            return before
        }
        kept.append(byte)
        switch stage {
        case .key: return begin()
        case .lateEscape:
            guard byte == UInt8(ascii: "[") else { return begin() }
            (stage, kept) = (.parameters, [Self.escape, byte])
            return []
        case .escape:
            switch byte {
            case UInt8(ascii: "["): stage = .parameters
            case UInt8(ascii: "O"): stage = .sequence(1)
            default: return handOn()
            }
            return []
        case .parameters: return consumeParameter(byte)
        case .sequence(let missing):
            stage = .sequence(missing - 1)
            return missing > 1 ? [] : handOn()
        case .character(let missing):
            stage = .character(missing - 1)
            return missing > 1 && byte & 0xC0 == 0x80 ? [] : handOn()
        }
    }

    /// No byte came in time: answers what is a key all the same; the begin of a sequence is none.
    mutating func giveUp() -> [UInt8] {
        switch stage {
        case .escape:
            let key = handOn()
            stage = .lateEscape
            return key
        case .character: return handOn()
        case .key, .lateEscape, .parameters, .sequence:
            (stage, kept) = (.key, [])
            return []
        }
    }

    private mutating func begin() -> [UInt8] {
        switch kept[0] {
        case 0xC2...0xDF: stage = .character(1)
        case 0xE0...0xEF: stage = .character(2)
        case 0xF0...0xF4: stage = .character(3)
        default: return handOn()
        }
        return []
    }

    private mutating func consumeParameter(_ byte: UInt8) -> [UInt8] {
        let isFirst = kept.count == 3
        switch byte {
        case UInt8(ascii: "M") where isFirst: stage = .sequence(3)  // a mouse: button, column, row
        case UInt8(ascii: "[") where isFirst: stage = .sequence(1)  // a function key of the console
        case 0x20...0x3F where kept.count < Self.mostBytes: break
        default: return handOn()
        }
        return []
    }

    private mutating func handOn() -> [UInt8] {
        defer { (stage, kept) = (.key, []) }
        return kept
    }
}
