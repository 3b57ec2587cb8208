// SPDX-License-Identifier: Apache-2.0

/// Joins the bytes that a terminal sends to whole keys, mouse reports and characters. Makes no calls.
///
/// ncurses waits a moment for the rest of a key, then takes its first byte for an Escape and the others for letters,
/// which are commands: over ssh, or on a busy machine, bytes may arrive one by one.
struct KeyAssembler {
    /// The meaning of the next byte.
    private enum Stage {
        case key
        /// An escape arrived: a key of its own, or the start of a sequence.
        case escape
        /// An escape was reported as a key of its own, although it may have been the start of a sequence.
        case lateEscape
        /// Parameters of a sequence, or its end.
        case parameters
        /// So many bytes of a sequence are missing.
        case sequence(Int)
        /// So many bytes of a character are missing.
        case character(Int)
    }

    private static let escape: UInt8 = 0x1B
    /// No key has a longer sequence.
    private static let mostBytes = 64

    private var stage = Stage.key
    private var kept: [UInt8] = []

    /// The time to wait for the next byte before ``giveUp()``, in milliseconds; nil when none is missing.
    ///
    /// The user waits for the effect of an Escape, while the rest of a begun sequence always arrives.
    var patience: Int? {
        switch stage {
        case .key: nil
        case .escape: 100
        case .lateEscape, .parameters, .sequence, .character: 1000
        }
    }

    /// Consumes a byte; returns the bytes of the key that it completes, or none.
    mutating func consume(_ byte: UInt8) -> [UInt8] {
        // No sequence contains another one: the first part of a sequence that is cut off is dropped.
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

    /// No byte arrived in time: returns what can be a key by itself; the start of a sequence cannot.
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
