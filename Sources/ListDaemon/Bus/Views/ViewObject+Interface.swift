// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListProtocol

// The interface table of org.listd.Listd1.View: the same members in the same order as the interface file.

extension ViewObject {
    static let changedSignal = Signal(
        "Changed",
        [
            "sequence": "t", "revision": "t", "content_size": "(dd)", "offset": "(dd)", "released": "au",
            "shown": "a(usuuss(dddd)xa{sv})", "placed": "a(uuu(dddd)x)", "rebound": "a(ua{sv})",
            "details": "a{sv}",
        ])
    static let stalledSignal = Signal("Stalled", ["sequence": "t", "revision": "t"])
    static let closedSignal = Signal("Closed", ["reason": "s"])

    static let interface = Interface<ViewObject>(
        ObjectNames.view,
        settle: { view, peer, read in
            if peer === view.owner { view.sendWaitingViewport() }
            view.adapter.host.afterCalls(of: ObjectIdentifier(peer), read)
        },
        stamp: { view in view.stamp },
        typeNames: qtTypeNames,
        methods + [.signal(changedSignal), .signal(stalledSignal), .signal(closedSignal)] + properties)

    private static let methods: [Interface<ViewObject>.Member] = [
        .method(
            "SetViewport", in: ["seen_sequence": "t", "x": "d", "y": "d", "width": "d", "height": "d"],
            out: ["sequence": "t"]
        ) { view, call in try view.setViewport(call) },
        .method(
            "SetVisibleRange",
            in: ["seen_sequence": "t", "first_section": "u", "first_item": "u", "last_section": "u", "last_item": "u"],
            out: ["sequence": "t"]
        ) { view, call in try view.setVisibleRange(call) },
        .method(
            "ScrollTo", in: ["id": "s", "item": "u", "position": "s"], out: ["offset": "(dd)", "sequence": "t"]
        ) { view, call in try view.scrollTo(call) },
        .method("ReportScroll", in: ["phase": "s"]) { view, call in try view.reportScroll(call) },
        .method("SetOnScreen", in: ["on_screen": "b"]) { view, call in try view.setOnScreen(call) },
        .method("ReportSizes", in: ["sizes": "a(sudd)"], out: ["sequence": "t"]) { view, call in
            try view.reportSizes(call)
        },
        .method("Select", in: ["id": "s", "item": "u"], out: ["selected": "b"]) { view, call in
            try view.select(call, isSelected: true)
        },
        .method("Deselect", in: ["id": "s", "item": "u"], out: ["deselected": "b"]) { view, call in
            try view.select(call, isSelected: false)
        },
        .method(
            "ChangeSelection", in: ["select": "a(su)", "deselect": "a(su)"],
            out: ["selected": "a(su)", "deselected": "a(su)"]
        ) { view, call in try view.changeSelection(call) },
        .method(
            "Invoke", in: ["id": "s", "item": "u", "action": "s", "parameters": "a{sv}"], out: ["handled": "b"]
        ) { view, call in try view.invoke(call) },
        .method("SetHighlighted", in: ["id": "s", "item": "u", "highlighted": "b"]) { view, call in
            try view.setHighlighted(call)
        },
        .method(
            "MoveItem", in: ["from_section": "u", "from_item": "u", "to_section": "u", "to_item": "u"],
            out: ["moved": "b", "revision": "t"]
        ) { view, call in try view.moveItem(call) },
        .method("Ack", in: ["sequence": "t"], annotations: ["org.freedesktop.DBus.Method.NoReply": "true"]) {
            view, call in try view.acknowledge(call)
        },
        .method(
            "Resync",
            out: [
                "sequence": "t", "revision": "t", "content_size": "(dd)", "offset": "(dd)",
                "shown": "a(usuuss(dddd)xa{sv})", "details": "a{sv}",
            ]
        ) { view, call in try view.resync(call) },
        .method("Close") { view, call in try view.close(call) },
    ]

    private static let properties: [Interface<ViewObject>.Member] = [
        .property("Adapter", as: ObjectPath.self, changes: .constant) { view, _ in view.adapter.path },
        .property("Options", "a{sv}", changes: .silent) { view, _ in
            let values = view.options.values(inForceWith: view.adapter.options)
            return { writer in writer.append(options: values) }
        },
        .property("Sequence", as: UInt64.self, changes: .silent, isVisible: forReaders) { view, _ in view.sequence },
        .property("AckedSequence", as: UInt64.self, changes: .silent, isVisible: forReaders) { view, _ in
            view.acknowledgedSequence
        },
        .property("State", as: String.self, changes: .silent) { view, _ in view.state },
        .property("ContentSize", "(dd)", changes: .silent, isVisible: forReaders) { view, _ in
            { [size = view.description?.contentSize ?? .zero] writer in writer.append(size) }
        },
        .property("Viewport", "(dddd)", changes: .silent, isVisible: forReaders) { view, _ in
            { [viewport = view.description?.viewport ?? .zero] writer in writer.append(viewport) }
        },
        .property(
            "WorkingRange", as: DBusStruct<UInt32, UInt32>.self, changes: .silent, isVisible: forReaders
        ) { view, _ in
            let range = view.description?.workingRange ?? 0..<0
            return DBusStruct(UInt32(clamping: range.lowerBound), UInt32(clamping: range.count))
        },
        .property(
            "VisibleObjects", as: [String].self, changes: .silent, isVisible: forReaders,
            size: { view in (view.description?.visibleObjects.count ?? 0) * visibleBytes }
        ) { view, _ in view.description?.visibleObjects ?? [] },
    ]

    /// The approximate bytes of a visible object in a message.
    private static let visibleBytes = 32

    /// Whether a peer may read the properties that reveal contents of the list.
    private static let forReaders: @DBusActor (ViewObject, Peer?) -> Bool = { view, peer in view.isReadable(by: peer) }
}
