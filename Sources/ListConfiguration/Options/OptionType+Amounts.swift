// SPDX-License-Identifier: Apache-2.0

internal import ListKit
@_spi(Daemon) internal import PluginAPI

/// Option types that occur only in configuration files.
extension OptionType<Int> {
    /// A limit in bytes, such as `16M`; 0 is no limit.
    static let bytes = limit(expected: "a size such as 16M, or 0 for no limit", Amount.bytes)

    /// A limit on a number, such as `64` or `10M`; 0 is no limit.
    static let count = limit(expected: "a number such as 64, or 0 for no limit", Amount.count)

    private static func limit(expected: String, _ read: @escaping @Sendable (String) -> Int?) -> OptionType<Int> {
        OptionType(
            signature: "t",
            decode: { value throws(ListError) in try value.int.orThrow(value, "t") },
            parse: { text throws(ListError) in
                guard let amount = read(text) else { throw ListError(invalidValue: text, expected: expected) }
                return Amount.limit(amount)
            },
            encode: { .uint64(UInt64(clamping: $0)) })
    }
}

extension OptionType<Int?> {
    /// An optional count.
    static let optionalCount = OptionType(
        signature: "t",
        decode: { value throws(ListError) in try OptionType<Int>.count.decode(value) },
        parse: { text throws(ListError) in try OptionType<Int>.count.parse(text) },
        encode: { $0.map { .uint64(UInt64(clamping: $0)) } })
}

extension OptionType<Duration> {
    /// A positive time span. A number without a unit counts seconds.
    static let seconds = OptionType(
        signature: "t",
        decode: { value throws(ListError) in try .microseconds(Int64(clamping: value.int.orThrow(value, "t"))) },
        parse: { text throws(ListError) in
            guard let span = TimeSpan.parse(text), span > .zero else {
                throw ListError(invalidValue: text, expected: "a positive time span such as 10s")
            }
            return span
        },
        encode: { .uint64(UInt64(clamping: $0.components.seconds)) })
}

extension OptionType<Creators?> {
    /// The text `any`, `administrators` or `group:NAME`.
    static let creators = text(
        expected: "any, administrators or group:NAME", read: { text in Creators(text).map { $0 } },
        write: { $0?.text })
}
