// SPDX-License-Identifier: Apache-2.0

internal import ListKit

extension OptionType<ListViewOpening?> {
    /// An optional struct of type `(sus)`: object id, item, and position as in `ScrollTo`.
    static let opening = OptionType(
        signature: "(sus)",
        decode: { value throws(ListError) in
            guard case .structure(let members) = value, members.count == 3, let id = members[0].string,
                let item = members[1].int, let word = members[2].string
            else { return try Optional<ListViewOpening?>.none.orThrow(value, "(sus)") }
            guard let position = ScrollPosition(rawValue: word) else {
                throw ListError(invalidValue: word, expected: "one of none, start, center, end")
            }
            return ListViewOpening(objectID: id, item: item, position: position)
        },
        parse: { _ throws(ListError) in throw ListError(.invalidArguments, "the option “at” exists only for views") },
        encode: { opening in
            opening.map {
                .structure([
                    .string($0.objectID), .uint32(UInt32(clamping: $0.item)), .string($0.position.rawValue),
                ])
            }
        })
}
