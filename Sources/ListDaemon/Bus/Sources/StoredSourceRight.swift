// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit
internal import ListStore

// The right of a list to have a source other than push. It is stored, because after a restart polkit, which may
// have granted it, cannot be asked about users that are not connected.

extension AdapterAccess {
    /// Throws if the list has no right to the source.
    func checkSource(_ source: SourceName) throws(ListError) {
        guard source != .push, source.followed == nil, !mayHaveSource else { return }
        throw ListError(
            .accessDenied,
            "only administrators and configuration files may use source \(source.text.quoted), and the list was created by "
                + "user \(owner), who is no administrator; an administrator can create the list again or configure it")
    }

    /// Returns the options to store. They include the right to the source, unless the right follows from the owner or
    /// from a configuration file.
    func storedOptions(_ options: AdapterOptions, isOwnerAdministrator: Bool) -> [String: Value] {
        var values = options.values
        let isDetermined = isConfigured || isOwnerAdministrator
        if options.source != .push, mayHaveSource, !isDetermined { values[Self.grantKey] = .boolean(true) }
        return values
    }

    /// The key of the stored right, which is no valid name of an option.
    fileprivate static let grantKey = "(source granted)"
}

extension StoredAdapter {
    /// Returns the options of a list that a client has created, and whether the right to its source is stored.
    ///
    /// - Throws: `invalidArguments`, naming the option at fault.
    func readOptions() throws(ListError) -> (AdapterOptions, isSourceGranted: Bool) {
        var values = options.dictionary
        let isGranted = values.removeValue(forKey: AdapterAccess.grantKey) == .boolean(true)
        return (try AdapterOptions(values), isGranted)
    }
}

extension Fields {
    /// The values by key.
    var dictionary: [String: Value] { Dictionary(self.map { ($0.key, $0.value) }) { $1 } }
}
