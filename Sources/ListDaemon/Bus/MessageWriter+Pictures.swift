// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

// What a view's owner is told, in the order of the contract's arguments.

extension MessageWriter {
    /// The arguments of `Changed`.
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
    }

    /// The arguments of `Resync`'s answer.
    mutating func append(_ picture: Picture) {
        append(picture.sequence)
        append(picture.revision)
        append(picture.contentSize)
        append(picture.offset)
        append(picture.items)
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

    /// A width and a height.
    mutating func append(_ size: Size) {
        structure { members in
            members.append(size.width)
            members.append(size.height)
        }
    }

    /// Two coordinates.
    mutating func append(_ point: Point) {
        structure { members in
            members.append(point.x)
            members.append(point.y)
        }
    }

    /// A corner and an extent.
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
    /// About how many bytes its message has.
    ///
    /// - Complexity: O(slots), but not their contents
    var sizeOnBus: Int {
        4 * released.count + 64 * placed.count
            + shown.reduce(0) { $0 + $1.content.byteCount + $1.objectID.utf8.count + 128 }
            + rebound.reduce(0) { $0 + $1.content.byteCount + 16 }
    }
}
