// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

// The encoding of pictures for a view's owner, in the order of the contract's arguments.

extension MessageWriter {
    /// Appends the arguments of `Changed`.
    mutating func append(_ change: PictureChange) {
        append(change.sequence)
        append(change.revision)
        append(change.contentSize)
        append(change.offset)
        appendArray(change.released)
        append(change.shown)
        array { elements in
            for placement in change.placed {
                elements.structure { members in
                    members.append(placement.slot)
                    members.append(UInt32(clamping: placement.section))
                    members.append(UInt32(clamping: placement.item))
                    members.append(placement.frame)
                    members.append(placement.z)
                }
            }
        }
        array { elements in
            for rebinding in change.rebound {
                elements.structure { members in
                    members.append(rebinding.slot)
                    members.append(rebinding.content)
                }
            }
        }
        append(details: change.details)
    }

    /// Appends the arguments of the answer to `Resync`.
    ///
    /// - Parameter counts: the numbers of sections and items of the list at the picture's revision.
    mutating func append(_ picture: Picture, counts: (sections: Int, items: Int)) {
        append(picture.sequence)
        append(picture.revision)
        append(picture.contentSize)
        append(picture.offset)
        append(picture.items)
        append(
            details: [
                ("sections", .uint32(UInt32(clamping: counts.sections))),
                ("items", .uint32(UInt32(clamping: counts.items))),
            ] + .movements(shift: picture.shift, picture.sticky, edge: picture.stickyEdge))
    }

    private mutating func append(_ items: [PictureItem]) {
        array { elements in
            for item in items {
                elements.structure { members in
                    members.append(item.slot)
                    members.append(item.objectID)
                    members.append(UInt32(clamping: item.section))
                    members.append(UInt32(clamping: item.item))
                    members.append(item.kind.rawValue)
                    members.append(item.reuseIdentifier)
                    members.append(item.frame)
                    members.append(item.z)
                    members.append(item.content)
                }
            }
        }
    }

    /// Appends width and height.
    mutating func append(_ size: Size) {
        structure { members in
            members.append(size.width)
            members.append(size.height)
        }
    }

    /// Appends two coordinates.
    mutating func append(_ point: Point) {
        structure { members in
            members.append(point.x)
            members.append(point.y)
        }
    }

    /// Appends a rectangle as its origin, width and height.
    mutating func append(_ rect: Rect) {
        structure { members in
            members.append(rect.origin.x)
            members.append(rect.origin.y)
            members.append(rect.size.width)
            members.append(rect.size.height)
        }
    }
}

extension PictureChange {
    /// The approximate bytes of the change in a message.
    ///
    /// - Complexity: O(slots); the contents are not read.
    var sizeOnBus: Int {
        4 * released.count + 64 * placed.count
            + shown.reduce(0) { $0 + $1.content.byteCount + $1.objectID.utf8.count + 128 }
            + rebound.reduce(0) { $0 + $1.content.byteCount + 16 } + 8 * causes.count + 24 * sticky.count
    }

    /// The details of `Changed`.
    fileprivate var details: [(name: String, value: DBusValue)] {
        var details: [(name: String, value: DBusValue)] = isAnimated == true ? [("animated", .boolean(true))] : []
        if !causes.isEmpty {
            let rows = causes.map { DBusValue.structure([.uint32($0.slot), .byte($0.reason.rawValue)]) }
            details.append(("causes", .array(element: "(uy)", rows)))
        }
        return details + .movements(shift: shift, sticky, edge: stickyEdge)
    }
}

extension [(name: String, value: DBusValue)] {
    /// The details with which a client that scrolls by itself draws: how far the viewport was moved, and where sticky
    /// elements travel.
    fileprivate static func movements(shift: Point, _ sticky: [PictureChange.Sticky], edge: Double) -> Self {
        var details: Self = []
        if shift != .zero { details.append(("shift", .structure([.double(shift.x), .double(shift.y)]))) }
        if !sticky.isEmpty {
            let rows = sticky.map {
                DBusValue.structure([.uint32($0.slot), .double($0.first), .double($0.last)])
            }
            details.append(("sticky", .array(element: "(udd)", rows)))
        }
        if edge != 0 { details.append(("sticky-edge", .double(edge))) }
        return details
    }
}
