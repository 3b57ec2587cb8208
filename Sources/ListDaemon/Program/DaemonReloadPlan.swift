// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

/// The changes that a reload will make, none of which has been made yet.
struct ReloadPlan {
    /// Lists that no configuration file names any more.
    var removed: [AdapterObject] = []
    /// Running lists whose options change, with new section controllers if those change too.
    var changed: [(adapter: AdapterObject, list: ListConfiguration, controllers: SectionControllerTable?)] = []
    /// Lists whose source changes, so that a new list replaces them.
    var replaced: [(adapter: AdapterObject, by: PreparedList)] = []
    /// Lists that do not exist yet.
    var added: [PreparedList] = []
    /// The mistakes because of which lists are left out: in their files, or found when their parts were made.
    var faults: [ConfigurationFault] = []

    /// Discards the parts that were prepared for new lists.
    @DBusActor
    func discard() {
        for prepared in added + replaced.map(\.by) { prepared.parts.discard() }
    }
}
