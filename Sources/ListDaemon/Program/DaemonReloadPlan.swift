// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

/// What a reload is going to do; nothing of it is done yet.
struct ReloadPlan {
    /// Lists that no file configures any more.
    var removed: [AdapterObject] = []
    /// Lists that are there with other options; with the section controllers, if they are others too.
    var changed: [(adapter: AdapterObject, list: ListConfiguration, controllers: SectionControllerTable?)] = []
    /// Lists that take the place of one with another source.
    var replaced: [(adapter: AdapterObject, by: PreparedList)] = []
    /// Lists that are not there.
    var added: [PreparedList] = []
    /// What is left out: lists whose files have a fault, or that cannot be made as they say.
    var faults: [ConfigurationFault] = []

    /// Releases what was prepared for it.
    @DBusActor
    func discard() {
        for prepared in added + replaced.map(\.by) { prepared.parts.discard() }
    }
}
