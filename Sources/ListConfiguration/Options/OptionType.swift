// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The type of an option: its values on the bus, in configuration files and in Swift.
///
/// An invalid value or text throws `invalidArguments`; the caller adds the option's name to the message.
package struct OptionType<Content>: Sendable {
    /// The D-Bus signature of the values.
    let signature: String
    /// Decodes a value that has the signature. For `u` and `d`, it may have any type; a number of another type is taken
    /// if it fits.
    let decode: @Sendable (Value) throws(ListError) -> Content
    /// Parses the text of a configuration file.
    let parse: @Sendable (String) throws(ListError) -> Content
    /// Encodes a value for the bus; nil omits the option.
    let encode: @Sendable (Content) -> Value?
}

extension ListError {
    /// Creates the error for an option with an invalid value.
    package init(invalidValue text: String, expected: String) {
        self.init(.invalidArguments, "\(text.quoted) is not \(expected)")
    }
}

extension OptionType<Bool> {
    /// A boolean (`b`). In files, it is one of systemd's words for yes and no.
    static let flag = OptionType(
        signature: "b",
        decode: { value throws(ListError) in try value.bool.orThrow(value, "b") },
        parse: { text throws(ListError) in
            guard let flag = Bool(configuration: text) else {
                throw ListError(invalidValue: text, expected: "yes or no")
            }
            return flag
        },
        encode: { .boolean($0) })
}

extension OptionType<Int> {
    /// A non-negative integer (`u`).
    static let number = OptionType(
        signature: "u",
        decode: { value throws(ListError) in try value.wholeNumber(from: 0) },
        parse: { text throws(ListError) in
            guard let number = UInt32(text) else {
                throw ListError(invalidValue: text, expected: "a whole number from 0 to \(UInt32.max)")
            }
            return Int(number)
        },
        encode: { .uint32(UInt32(clamping: $0)) })

    /// A time in milliseconds (`u`). In files, it is a time span; a number without a unit counts milliseconds.
    static let milliseconds = OptionType(
        signature: "u", decode: number.decode,
        parse: { text throws(ListError) in
            guard let span = TimeSpan.parse(text, unit: .milliseconds(1)), span.milliseconds <= UInt32.max else {
                throw ListError(invalidValue: text, expected: "a time span such as 20ms")
            }
            return Int(span.milliseconds)
        },
        encode: number.encode)
}

extension OptionType<Int?> {
    /// An optional non-negative integer (`u`).
    static let optionalNumber = OptionType(
        signature: "u", decode: OptionType<Int>.number.decode, parse: OptionType<Int>.number.parse,
        encode: { $0.flatMap(OptionType<Int>.number.encode) })

    /// An optional integer (`u`) of at least 1.
    static let optionalPositiveNumber = OptionType(
        signature: "u",
        decode: { value throws(ListError) in
            // The first check names the range of all whole numbers, to which 0 belongs.
            _ = try value.wholeNumber(from: 0)
            return try value.wholeNumber(from: 1)
        },
        parse: { text throws(ListError) in try OptionType<Int>.number.parse(text).checkedPositive() },
        encode: optionalNumber.encode)
}

extension OptionType<Double> {
    /// A finite number (`d`).
    static let real = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.number()
            guard number.isFinite else { throw value.refusal(expected: "a finite number") }
            return number
        },
        parse: { text throws(ListError) in
            guard let number = Double(text), number.isFinite else {
                throw ListError(invalidValue: text, expected: "a finite number")
            }
            return number
        },
        encode: { .double($0) })

    /// A finite, non-negative number (`d`).
    static let distance = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.number()
            guard number.isFinite, number >= 0 else { throw value.refusal(expected: "a finite number of at least 0") }
            return number
        },
        parse: { text throws(ListError) in try real.parse(text).checkedDistance() },
        encode: real.encode)
}

extension Int {
    fileprivate func checkedPositive() throws(ListError) -> Int {
        guard self >= 1 else { throw ListError(invalidValue: "\(self)", expected: "1 or more") }
        return self
    }
}

extension Double {
    fileprivate func checkedDistance() throws(ListError) -> Double {
        guard self >= 0 else { throw ListError(invalidValue: "\(self)", expected: "0 or more") }
        return self
    }
}

extension Value {
    /// Returns a number of an integer type, at most `UInt32.max`.
    ///
    /// - Throws: `invalidArguments` for another type, and for a number out of range.
    fileprivate func wholeNumber(from minimum: Int) throws(ListError) -> Int {
        if case .variant = self { throw refusal(expected: "a whole number from \(minimum) to \(UInt32.max)") }
        guard let number = int, (minimum...Int(UInt32.max)).contains(number) else {
            throw refusal(expected: "a whole number from \(minimum) to \(UInt32.max)")
        }
        return number
    }

    /// Returns a number of any numeric type; an integer becomes the nearest double.
    ///
    /// - Throws: `invalidArguments` for another type.
    fileprivate func number() throws(ListError) -> Double {
        if case .variant = self { throw refusal(expected: "a number") }
        guard let number = double else { throw refusal(expected: "a number") }
        return number
    }

    /// Returns the error that shows the value and its type.
    fileprivate func refusal(expected: String) -> ListError {
        ListError(.invalidArguments, "\(shortText) (\(signature.prefix(64))) is not \(expected)")
    }

    /// The value for an error message; of a container, only its kind.
    private var shortText: String {
        switch self {
        case .byte(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .int16(let number): "\(number)"
        case .uint16(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .uint32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .uint64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text), .objectPath(let text), .signature(let text): text.quoted
        case .variant: "<…>"
        case .array: "[…]"
        case .dictionary: "{…}"
        case .structure: "(…)"
        }
    }
}

extension Optional {
    /// Returns the content of an option's value whose signature was checked before, or throws an error that names
    /// both types.
    func orThrow(_ value: Value, _ signature: String) throws(ListError) -> Wrapped {
        guard let self else {
            throw ListError(
                .invalidArguments, "the value has the type \(value.signature.quoted) instead of \(signature.quoted)")
        }
        return self
    }
}
