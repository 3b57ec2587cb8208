// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport
@_spi(Daemon) internal import PluginAPI

/// A type that an option can have: its values on the bus, in configuration files and in Swift.
///
/// An invalid value or text is `invalidArguments`; the caller adds the option's name to the message.
package struct OptionType<Content>: Sendable {
    /// The D-Bus signature.
    let signature: String
    /// Reads a value that has the signature.
    let decode: @Sendable (Value) throws(ListError) -> Content
    /// Reads the text of a configuration file.
    let parse: @Sendable (String) throws(ListError) -> Content
    /// Writes the value for the bus; nil leaves the option out.
    let encode: @Sendable (Content) -> Value?
}

extension ListError {
    /// An option has a value that it cannot have.
    package init(option text: String, expected: String) {
        self.init(.invalidArguments, "\(text.quoted) is not \(expected)")
    }
}

extension OptionType<Bool> {
    /// `b`; in files systemd's words for yes and no.
    static let flag = OptionType(
        signature: "b",
        decode: { value throws(ListError) in try value.bool.orThrow(value, "b") },
        parse: { text throws(ListError) in
            guard let flag = Bool(configuration: text) else { throw ListError(option: text, expected: "yes or no") }
            return flag
        },
        encode: { .boolean($0) })
}

extension OptionType<Int> {
    /// `u`.
    static let number = OptionType(
        signature: "u",
        decode: { value throws(ListError) in try value.int.orThrow(value, "u") },
        parse: { text throws(ListError) in
            guard let number = UInt32(text) else {
                throw ListError(option: text, expected: "a whole number from 0 to \(UInt32.max)")
            }
            return Int(number)
        },
        encode: { .uint32(UInt32(clamping: $0)) })

    /// `u` in milliseconds; in files a number alone counts milliseconds too, or a time span says its unit.
    static let milliseconds = OptionType(
        signature: "u", decode: number.decode,
        parse: { text throws(ListError) in
            guard let span = TimeSpan.parse(text, unit: .milliseconds(1)), span.milliseconds <= UInt32.max else {
                throw ListError(option: text, expected: "a time span such as 20ms")
            }
            return Int(span.milliseconds)
        },
        encode: number.encode)
}

extension OptionType<Int?> {
    /// `u`, or left out.
    static let optionalNumber = OptionType(
        signature: "u", decode: OptionType<Int>.number.decode, parse: OptionType<Int>.number.parse,
        encode: { $0.flatMap(OptionType<Int>.number.encode) })

    /// `u`, at least 1, or left out.
    static let optionalPositiveNumber = OptionType(
        signature: "u",
        decode: { value throws(ListError) in try OptionType<Int>.number.decode(value).checkedPositive() },
        parse: { text throws(ListError) in try OptionType<Int>.number.parse(text).checkedPositive() },
        encode: optionalNumber.encode)
}

extension OptionType<Double> {
    /// `d`, finite.
    static let real = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.double.orThrow(value, "d")
            guard number.isFinite else { throw ListError(option: "\(number)", expected: "a finite number") }
            return number
        },
        parse: { text throws(ListError) in
            guard let number = Double(text), number.isFinite else {
                throw ListError(option: text, expected: "a finite number")
            }
            return number
        },
        encode: { .double($0) })

    /// `d`, finite and not negative.
    static let distance = OptionType(
        signature: "d",
        decode: { value throws(ListError) in try real.decode(value).checkedDistance() },
        parse: { text throws(ListError) in try real.parse(text).checkedDistance() },
        encode: real.encode)
}

extension Int {
    fileprivate func checkedPositive() throws(ListError) -> Int {
        guard self >= 1 else { throw ListError(option: "\(self)", expected: "1 or more") }
        return self
    }
}

extension Double {
    fileprivate func checkedDistance() throws(ListError) -> Double {
        guard self >= 0 else { throw ListError(option: "\(self)", expected: "0 or more") }
        return self
    }
}

extension Optional {
    /// The content of an option, whose signature was compared before; a mismatch names both types.
    func orThrow(_ value: Value, _ signature: String) throws(ListError) -> Wrapped {
        guard let self else {
            throw ListError(.invalidArguments, "type \(value.signature) instead of \(signature)")
        }
        return self
    }
}
