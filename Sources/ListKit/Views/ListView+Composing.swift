// SPDX-License-Identifier: Apache-2.0

extension ListView {
    /// The difference between what the viewer was sent and what the view shows; nothing is changed.
    func difference(_ adapter: ListAdapter) -> PictureDifference {
        var difference = PictureDifference(capacity: elements.count)
        var left = picture.elements
        for element in elements {
            guard let item = contents[element.key] else { continue }
            var key = SentPicture.Key(element.key, identity: element.key.kind == .cell ? item.identity : nil)
            if key.identity != nil, difference.present[key] != nil {
                key = SentPicture.Key(element.key, identity: nil)
            }
            var present = SentPicture.Element(
                slot: 0, handle: element.key.handle,
                objectID: element.key.handle.map { adapter.id(of: $0) } ?? "",
                kind: element.key.kind, section: element.section, item: element.key.index, frame: element.frame,
                z: element.z,
                reuseIdentifier: item.reuseIdentifier,
                content: fields.isEmpty ? item.content : item.content.filtered(to: fields))
            if let sent = left[key], ExactText(sent.reuseIdentifier) == ExactText(present.reuseIdentifier) {
                left[key] = nil
                present.slot = sent.slot
                if !sent.isPlaced(like: present) { difference.placed.append(present) }
                if sent.content != present.content { difference.rebound.append(present) }
            } else {
                difference.shown.append(key)
            }
            difference.present[key] = present
            difference.order.append(key)
        }
        difference.released = orphans + left.values
        difference.released.sort { $0.slot < $1.slot }
        difference.isResized = picture.contentSize != contentSize
        return difference
    }

    /// Takes a difference over, as its changes go out; answers them, with numbered slots.
    ///
    /// What is present goes out of the difference into the picture.
    func take(_ difference: inout PictureDifference, revision: UInt64) -> PictureChange {
        var change = PictureChange(
            view: id, sequence: picture.sequence + 1, revision: revision, contentSize: contentSize, offset: offset)
        var present: [SentPicture.Key: SentPicture.Element] = [:]
        swap(&present, &difference.present)
        for element in difference.released {
            slots.release(element.slot)
            change.released.append(element.slot)
        }
        change.shown.reserveCapacity(difference.shown.count)
        for key in difference.shown {
            guard let place = present.index(forKey: key) else { continue }
            present.values[place].slot = slots.take(present.values[place].reuseIdentifier)
            change.shown.append(PictureItem(present.values[place]))
        }
        change.placed = difference.placed.map {
            PictureChange.Placement(slot: $0.slot, section: $0.section, item: $0.item, frame: $0.frame, z: $0.z)
        }
        change.rebound = difference.rebound.map { PictureChange.Rebinding(slot: $0.slot, content: $0.content) }
        picture.elements = present
        picture.order = difference.order
        picture.contentSize = contentSize
        picture.sequence += 1
        orphans = []
        isOffsetMoved = false
        isHeld = false
        return change
    }
}

/// What has to be sent so that a viewer's picture is the present one.
struct PictureDifference {
    var released: [SentPicture.Element] = []
    var shown: [SentPicture.Key] = []
    var placed: [SentPicture.Element] = []
    var rebound: [SentPicture.Element] = []
    var isResized = false
    /// Everything that is shown; slots of new elements are not known yet.
    var present: [SentPicture.Key: SentPicture.Element] = [:]
    /// Everything that is shown, section by section.
    var order: [SentPicture.Key] = []

    /// - Parameter capacity: how many elements are shown.
    init(capacity: Int) {
        present.reserveCapacity(capacity)
        order.reserveCapacity(capacity)
    }

    /// Whether the pictures are the same.
    var isEmpty: Bool { released.isEmpty && shown.isEmpty && placed.isEmpty && rebound.isEmpty && !isResized }

    /// About the bytes that it takes on the bus.
    var bytes: Int {
        let contents = shown.reduce(0) { sum, key in
            present[key].map { sum + $0.content.byteCount + $0.objectID.utf8.count + 80 } ?? sum
        }
        return rebound.reduce(contents) { $0 + $1.content.byteCount + 12 } + 56 * placed.count + 4 * released.count
    }
}

extension PictureItem {
    init(_ element: SentPicture.Element) {
        self.init(
            slot: element.slot, objectID: element.objectID, section: element.section, item: element.item,
            kind: element.kind,
            reuseIdentifier: element.reuseIdentifier, frame: element.frame, z: element.z, content: element.content)
    }
}
