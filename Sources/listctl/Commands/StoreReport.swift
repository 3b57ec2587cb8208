// SPDX-License-Identifier: Apache-2.0

/// The part of `Manager.Dump` about the store (org.listd.Listd1(5)).
struct StoreReport {
    /// Its lines, the first one with the verdict.
    let lines: [Substring]

    /// Whether there is a store, and it is undamaged.
    var isHealthy: Bool { lines.first?.hasSuffix(", integrity ok") ?? false }

    /// Finds its lines, which are together: names from a plugin or a client may look like them further down.
    init(dump: String) {
        lines = Array(
            dump.split(separator: "\n").drop { !$0.hasPrefix("store: ") }.enumerated()
                .prefix { $0.offset == 0 || $0.element.hasPrefix("store fault: ") }.map(\.element))
    }
}
