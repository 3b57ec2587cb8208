// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit
internal import ListStore

// The right of a list to have a source other than clients, over restarts: polkit, which may have granted it, cannot be
// asked about users that are not connected.

extension AdapterAccess {
    /// Refuses a source to a list that only clients may fill.
    func checkSource(_ source: SourceName) throws(ListError) {
        guard source != .push, source.followed == nil, !mayHaveSource else { return }
        throw ListError(
            .accessDenied,
            "the source \(source.text) is for administrators and configured lists, and user \(owner), who created this list, "
                + "was none: have an administrator remove it and create it again, or configure it in a file")
    }

    /// The stored options, with the right to the source where neither the owner nor a file determines it.
    func storedOptions(_ options: AdapterOptions, isOwnerAdministrator: Bool) -> [String: Value] {
        var values = options.values
        let isTold = isConfigured || isOwnerAdministrator
        if options.source != .push, mayHaveSource, !isTold { values[Self.grantKey] = .boolean(true) }
        return values
    }

    /// No option has such a name.
    fileprivate static let grantKey = "(source granted)"
}

extension StoredAdapter {
    /// The options of a list that a client has created, and whether the right to its source is stored with them.
    ///
    /// - Throws: `invalidArguments`, naming the option at fault.
    func readOptions() throws(ListError) -> (AdapterOptions, isSourceGranted: Bool) {
        var values = options.dictionary
        let isGranted = values.removeValue(forKey: AdapterAccess.grantKey) == .boolean(true)
        return (try AdapterOptions(values), isGranted)
    }
}

extension Fields {
    /// The values by their keys.
    var dictionary: [String: Value] { Dictionary(self.map { ($0.key, $0.value) }) { $1 } }
}
