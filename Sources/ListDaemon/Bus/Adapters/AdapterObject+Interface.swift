// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListProtocol
internal import ListSources
internal import ListStore
internal import ListWorkers

// The interface table of org.listd.Listd1.Adapter: the same members in the same order as the interface file.

extension AdapterObject {
    static let updated = Signal(
        "Updated",
        [
            "epoch": "s", "base_revision": "t", "revision": "t", "kind": "s", "animated": "b", "section_count": "u",
            "item_count": "u", "sections": "(a(uu)a(uu)a(uu)a(uu))", "items": "(a(uu)a(uu)a(uuuu)a(uu))",
            "details": "a{sv}",
        ])
    static let displayChanged = Signal(
        "DisplayChanged",
        [
            "view": "o", "revision": "t", "will_display": "a(us)", "did_end_displaying": "a(us)",
            "items_will_display": "a(usu)", "items_did_end_displaying": "a(usu)", "details": "a{sv}",
        ])
    static let workingRangeChanged = Signal(
        "WorkingRangeChanged",
        ["view": "o", "revision": "t", "will_enter": "a(us)", "did_exit": "a(us)", "details": "a{sv}"])
    static let nearEnd = Signal("NearEnd", ["view": "o", "distance": "d", "details": "a{sv}"])
    static let invoked = Signal(
        "Invoked",
        ["id": "s", "item": "u", "action": "s", "parameters": "a{sv}", "user": "u", "details": "a{sv}"])
    static let selectionChanged = Signal(
        "SelectionChanged", ["revision": "t", "selected": "a(su)", "deselected": "a(su)", "details": "a{sv}"])

    static let interface = Interface<AdapterObject>(
        ObjectNames.adapter,
        settle: { adapter, peer, read in adapter.host.afterCalls(of: ObjectIdentifier(peer), read) },
        stamp: { adapter in adapter.signals.stamp },
        typeNames: qtTypeNames,
        writing + reading + viewing + [
            .signal(updated), .signal(displayChanged), .signal(workingRangeChanged), .signal(nearEnd),
            .signal(invoked), .signal(selectionChanged),
        ] + properties)

    private static let writing: [Interface<AdapterObject>.Member] = [
        .method(
            "PerformUpdates", in: ["expected_revision": "t", "objects": "a(ssa{sv})", "options": "a{sv}"],
            out: ["revision": "t"]
        ) { adapter, call in try adapter.performUpdates(call) },
        .method(
            "PerformUpdatesFromFile",
            in: ["expected_revision": "t", "file": "h", "format": "s", "options": "a{sv}"], out: ["revision": "t"]
        ) { adapter, call in try adapter.performUpdatesFromFile(call) },
        .method(
            "ApplyChanges",
            in: ["expected_revision": "t", "removed": "as", "upserts": "a(ssssa{sv})", "options": "a{sv}"],
            out: ["revision": "t"]
        ) { adapter, call in try adapter.applyChanges(call) },
        .method(
            "MoveObject", in: ["expected_revision": "t", "id": "s", "position": "s", "anchor": "s"],
            out: ["revision": "t"]
        ) { adapter, call in try adapter.moveObject(call) },
        .method(
            "PatchObject", in: ["expected_revision": "t", "id": "s", "set_fields": "a{sv}", "unset_fields": "as"],
            out: ["revision": "t"]
        ) { adapter, call in try adapter.patchObject(call) },
        .method("ReloadObjects", in: ["ids": "as"], out: ["revision": "t"]) { adapter, call in
            try adapter.reloadObjects(call)
        },
        .method("ReloadData", out: ["revision": "t"]) { adapter, call in
            try adapter.reloadData(call)
        },
        .method("SetSourceArgument", in: ["argument": "s"], out: ["revision": "t"]) { adapter, call in
            try adapter.setSourceArgument(call)
        },
    ]

    private static let reading: [Interface<AdapterObject>.Member] = [
        .method(
            "GetObjects", in: ["offset": "u", "limit": "u"],
            out: ["epoch": "s", "revision": "t", "total": "u", "objects": "a(ssa{sv})"]
        ) { adapter, call in try adapter.getObjects(call) },
        .method(
            "GetObjectsByFileDescriptor", in: ["offset": "u", "limit": "u", "format": "s"],
            out: ["epoch": "s", "revision": "t", "total": "u", "file": "h"]
        ) { adapter, call in try adapter.getObjectsByFileDescriptor(call) },
        .method(
            "FindObject", in: ["id": "s"],
            out: ["revision": "t", "section": "u", "object_type": "s", "fields": "a{sv}"]
        ) { adapter, call in try adapter.findObject(call) },
        .method(
            "GetItems", in: ["first_section": "u", "section_count": "u", "fields": "as"],
            out: ["revision": "t", "next_section": "u", "items": "a(ususa{sv})"]
        ) { adapter, call in try adapter.getItems(call) },
        .method(
            "GetItemCounts", in: ["first_section": "u", "section_count": "u"],
            out: ["revision": "t", "next_section": "u", "counts": "au"]
        ) { adapter, call in try adapter.getItemCounts(call) },
        .method(
            "Search", in: ["text": "s", "fields": "as", "start": "u", "backwards": "b"],
            out: ["revision": "t", "found": "b", "index": "u", "id": "s"]
        ) { adapter, call in try adapter.search(call) },
        .method(
            "GetChanges", in: ["epoch": "s", "since_revision": "t"],
            out: ["revision": "t", "batches": "a(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu)))"]
        ) { adapter, call in try adapter.getChanges(call) },
    ]

    private static let viewing: [Interface<AdapterObject>.Member] = [
        .method(
            "OpenView", in: ["options": "a{sv}"],
            out: [
                "view": "o", "epoch": "s", "revision": "t", "sections": "u", "items": "u", "details": "a{sv}",
            ]
        ) { adapter, call in try adapter.openView(call) },
        .method("Subscribe", in: ["events": "as"], out: ["subscription": "t", "revision": "t"]) { adapter, call in
            try adapter.subscribe(call)
        },
        .method("Unsubscribe", in: ["subscription": "t"]) { adapter, call in
            try adapter.unsubscribe(call)
        },
    ]

    private static let properties: [Interface<AdapterObject>.Member] = [
        .property("Name", as: String.self, changes: .constant) { adapter, _ in adapter.name },
        .property("Source", as: String.self, changes: .emits) { adapter, _ in adapter.options.source.text },
        // Another list can come to the same path, so no client may cache the epoch.
        .property("Epoch", as: String.self, changes: .silent) { adapter, _ in adapter.epoch },
        .property("Options", "a{sv}", changes: .emits) { adapter, peer in
            let values = adapter.options(for: peer)
            return { writer in writer.append(options: values) }
        },
        .property("State", as: String.self, changes: .emits) { adapter, _ in adapter.state.rawValue },
        .property(
            "SourceError", as: String.self, changes: .emits,
            isVisible: { adapter, peer in adapter.isReadable(by: peer) }
        ) { adapter, _ in adapter.sourceError },
        .property(
            "SourceSynced", as: UInt64.self, changes: .silent,
            isVisible: { adapter, peer in adapter.isReadable(by: peer) }
        ) { adapter, _ in adapter.sourceRecord.synced },
        .property(
            "SourcePosition", as: String.self, changes: .silent,
            isVisible: { adapter, peer in adapter.isReadable(by: peer) }
        ) { adapter, _ in adapter.sourceRecord.position },
        .property("Revision", as: UInt64.self, changes: .silent) { adapter, _ in adapter.status.revision },
        .property("OldestRevision", as: UInt64.self, changes: .silent) { adapter, _ in
            adapter.status.oldestRevision
        },
        .property("ObjectCount", as: UInt32.self, changes: .silent) { adapter, _ in
            UInt32(clamping: adapter.status.objectCount)
        },
        .property("ItemCount", as: UInt32.self, changes: .silent) { adapter, _ in
            UInt32(clamping: adapter.status.itemCount)
        },
        .property(
            "SelectedItems", "a(su)", changes: .silent, isVisible: { adapter, peer in adapter.isReadable(by: peer) },
            size: { adapter in adapter.signals.selection.count * selectedBytes }
        ) { adapter, _ in { [selection = adapter.signals.selection] writer in writer.append(selection) } },
    ]

    /// The approximate bytes of a selected item in a message.
    private static let selectedBytes = 32

    /// How far the source has read; empty for a list that clients fill.
    private var sourceRecord: SourceRecord {
        options.source == .push ? SourceRecord() : source.intake.sourceState.record
    }

    /// Returns whether a peer may read the contents of the list. For nil, returns whether all peers may.
    func isReadable(by peer: Peer?) -> Bool {
        guard isRestricted else { return true }
        guard let peer, let caller = try? service.authority.caller(peer, for: .inspect) else { return false }
        return allowsReading(caller)
    }

    /// Returns the options that a peer may read. The option `empty` counts as content, which only readers of a
    /// restricted adapter may see.
    private func options(for peer: Peer?) -> [String: Value] {
        var inForce = options
        inForce.hints = hints
        var values = inForce.values
        if !isReadable(by: peer) { values["empty"] = nil }
        return values
    }
}
