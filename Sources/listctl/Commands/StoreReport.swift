// SPDX-License-Identifier: Apache-2.0

/// The section about the store in the text of `Manager.Dump` (org.listd.Listd1(5)).
struct StoreReport {
    /// The lines of the section. The first line says whether the store is intact.
    let lines: [Substring]

    /// Whether there is a store without damage, and without losses that nobody has acknowledged.
    var isHealthy: Bool { lines.count == 1 && lines[0].hasSuffix(", integrity ok") }

    /// Finds the lines of the section. Only adjacent lines are taken, because names that a plugin or client chose may
    /// look like such lines further down.
    init(dump: String) {
        lines = Array(
            dump.split(separator: "\n").drop { !$0.hasPrefix("store: ") }.enumerated()
                .prefix {
                    $0.offset == 0 || $0.element.hasPrefix("store fault: ") || $0.element.hasPrefix("store loss: ")
                }.map(\.element))
    }
}
