// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@testable import listctl

@Suite("SignalText: signals as text for people")
struct SignalTextTests {
    @Test("items of a working range are neighbours → the text names runs of them")
    func itemsInRange() {
        func items(_ id: String, _ items: [UInt32]) -> [DBusValue] {
            items.map { .structure([.uint32(0), .string(id), .uint32($0)]) }
        }
        let view = DBusValue.objectPath(ObjectPath("/org/listd/Listd1/views/3"))
        let sections = DBusValue.array(element: "(us)", [.structure([.uint32(1), .string("trip")])])
        let details = DBusValue.options([
            "items-will-enter": .array(element: "(usu)", items("album", [3, 4, 5, 9]) + items("trip", [0])),
            "items-did-exit": .array(element: "(usu)", items("album", [1])), "later": .boolean(true),
        ])
        let none = DBusValue.array(element: "(us)", [])
        #expect(
            SignalText.text(of: "WorkingRangeChanged", [view, .uint64(7), sections, none, details])
                == "revision 7, view 3 prepares trip; prepares items 3–5 of album, 9 of album, 0 of trip; "
                + "gives up items 1 of album")
        #expect(
            SignalText.text(of: "WorkingRangeChanged", [view, .uint64(7), sections, none, .options([:])])
                == "revision 7, view 3 prepares trip")
    }
}
