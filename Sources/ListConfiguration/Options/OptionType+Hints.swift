// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import PluginAPI

extension OptionType<[String: FieldHint]> {
    /// A dictionary of type `a{ss}` from field names to hints.
    static let hints = OptionType(
        signature: "a{ss}",
        decode: { value throws(ListError) in
            var hints: [String: FieldHint] = [:]
            for (field, word) in try value.dictionary.orThrow(value, "a{ss}") {
                hints[field] = try FieldHint(word.string.orThrow(value, "a{ss}"), of: field)
            }
            return hints
        },
        parse: { _ throws(ListError) in
            throw ListError(.invalidArguments, "hints belong in the section [Hints]")
        },
        encode: { hints in
            var entries: [Value: Value] = [:]
            for (field, hint) in hints { entries[.string(field)] = .string(hint.rawValue) }
            return .dictionary(key: "s", value: "s", entries)
        })
}

extension FieldHint {
    /// Parses a hint for a field.
    ///
    /// - Throws: `invalidArguments` that names the field and the hint.
    package init(_ word: String, of field: String) throws(ListError) {
        guard let hint = FieldHint(rawValue: word) else {
            let words = FieldHint.allCases.map(\.rawValue).joined(separator: ", ")
            throw ListError(.invalidArguments, "field \(field.quoted): \(word.quoted) is not one of \(words)")
        }
        self = hint
    }
}
