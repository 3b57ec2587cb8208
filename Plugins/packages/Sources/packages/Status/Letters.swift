// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The packages grouped by letter, for the objects of a list.
///
/// One object holds all packages of a letter, so that its header stays at the top while the packages scroll. A
/// changed package changes one item of the section, and nothing else.
struct Letters {
    private let groups: [String: [Package]]

    init(_ packages: [Package]) {
        groups = Dictionary(grouping: packages, by: \.letter)
            .mapValues { $0.sorted { ($0.name, $0.architecture) < ($1.name, $1.architecture) } }
    }

    /// Returns one object for each letter, in alphabetical order.
    func objects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        for (letter, packages) in groups.sorted(by: { $0.key < $1.key }) {
            objects.append(
                try ListObject(
                    id: letter, type: "letter",
                    fields: try Fields([
                        "heading": .string(letter.count == 1 ? letter.uppercased() : letter),
                        "packages": .array(element: "a{sv}", packages.map(\.value)),
                    ])))
        }
        return objects
    }
}
