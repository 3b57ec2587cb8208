// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

extension AdapterObject {
    // MARK: Readers

    /// Whether the list is restricted by its own access rule or by that of a list that it follows.
    var isRestricted: Bool { access.isRestricted || following?.isRestricted == true }

    /// Returns whether `caller` may read both the list and the list that it follows.
    func allowsReading(_ caller: Caller) -> Bool {
        access.allowsReading(caller) && following?.allowsReading(caller) != false
    }

    /// Returns whether the user that created this list may read another one.
    func ownerMayRead(_ list: AdapterObject) -> Bool {
        access.mayHaveSource || list.allowsReading(service.authority.caller(user: access.owner))
    }

    // MARK: Hints

    /// The hints for displaying fields: the list's own, and those of its source for other fields.
    var hints: [String: FieldHint] { source.hints.merging(options.hints) { _, own in own } }

    /// Runs a change that may affect the hints of the source. If they change, clients and the lists that follow this
    /// one are notified.
    func changeHints(_ change: () -> Void) {
        let before = hints
        change()
        if hints != before { announceHintsChange() }
    }

    /// Notifies clients, and the lists that follow this one, that the hints have changed.
    func announceHintsChange() {
        emitPropertiesChanged(["Options"])
        service.adapters.followers.reportHintsChange(of: self)
    }
}
