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
    /// Decodes a value that has the signature.
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
        decode: { value throws(ListError) in try value.int.orThrow(value, "u") },
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
        decode: { value throws(ListError) in try OptionType<Int>.number.decode(value).checkedPositive() },
        parse: { text throws(ListError) in try OptionType<Int>.number.parse(text).checkedPositive() },
        encode: optionalNumber.encode)
}

extension OptionType<Double> {
    /// A finite number (`d`).
    static let real = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.double.orThrow(value, "d")
            guard number.isFinite else { throw ListError(invalidValue: "\(number)", expected: "a finite number") }
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
        decode: { value throws(ListError) in try real.decode(value).checkedDistance() },
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
