// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import PluginAPI

extension OptionType<[String: FieldHint]> {
    /// `a{ss}` from fields to words.
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
            throw ListError(.invalidArguments, "hints do not belong here; put them into the section [Hints]")
        },
        encode: { hints in
            var entries: [Value: Value] = [:]
            for (field, hint) in hints { entries[.string(field)] = .string(hint.rawValue) }
            return .dictionary(key: "s", value: "s", entries)
        })
}

extension FieldHint {
    /// Reads the word of a hint.
    ///
    /// - Throws: `invalidArguments`, naming field and word.
    package init(_ word: String, of field: String) throws(ListError) {
        guard let hint = FieldHint(rawValue: word) else {
            let words = FieldHint.allCases.map(\.rawValue).joined(separator: ", ")
            throw ListError(.invalidArguments, "field \(field.quoted): \(word.quoted) is not one of \(words)")
        }
        self = hint
    }
}
