// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) public import ListKit

/// The argument of a data source, split into its subject and options, as in `/srv/music&recursive&depth=3`.
///
/// The parts are separated by `&`. The first part is the subject, unless it is an option. An option is `key=value`,
/// or `key` as a short form of `key=yes`. Any byte may be percent-encoded: `%26` stands for `&` and `%25` for `%`.
///
/// ```swift
/// let argument = try DataSourceArgument(context.argument) { ["recursive", "depth"].contains($0) }
/// let isRecursive = try argument.options.boolean("recursive") ?? false
/// ```
public struct DataSourceArgument: Sendable, Hashable {
    /// The subject, that is, the text before the options; empty if there is none.
    public let subject: String
    /// The options; for a repeatable option, its last value.
    public let options: PluginSettings

    private let values: [String: [String]]

    /// Reads an argument.
    ///
    /// - Parameters:
    ///   - text: the argument as written, ``DataSourceContext/argument``.
    ///   - isOption: whether the source has an option of this name.
    ///   - isRepeatable: whether the option may be given several times (``values(of:)``).
    /// - Throws: `invalidArguments` that names the wrong part: an unknown option, an option that is repeated although
    ///   it is not repeatable, a `%` without two hexadecimal digits, or bytes that are not UTF-8.
    public init(
        _ text: String, isOption: (String) -> Bool, isRepeatable: (String) -> Bool = { _ in false }
    ) throws(ListError) {
        var subject = ""
        var values: [String: [String]] = [:]
        for (index, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            let key = String(part.prefix { $0 != "=" })
            if isOption(key) {
                guard values[key] == nil || isRepeatable(key) else {
                    throw ListError(.invalidArguments, "\(part.quoted): the option \(key.quoted) is given twice")
                }
                let value = part.dropFirst(key.count)
                values[key, default: []].append(value.isEmpty ? "yes" : try Self.decoded(value.dropFirst()))
            } else if index == 0 {
                subject = try Self.decoded(part)
            } else {
                throw ListError(.invalidArguments, "\(part.quoted): the data source has no option \(key.quoted)")
            }
        }
        self.subject = subject
        self.values = values
        options = PluginSettings(values.compactMapValues(\.last))
    }

    /// Returns all values of an option, in the order of the text.
    public func values(of key: String) -> [String] { values[key] ?? [] }

    private static func decoded(_ part: Substring) throws(ListError) -> String {
        guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
        var bytes: [UInt8] = []
        var rest = part.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                throw ListError(
                    .invalidArguments, "\(part.quoted): % must be followed by two hexadecimal digits; write %25 for %")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ListError(.invalidArguments, "\(part.quoted) is not UTF-8")
        }
        return text
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit; `nil` for another byte.
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
