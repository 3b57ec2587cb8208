// SPDX-License-Identifier: Apache-2.0

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

    /// About the bytes that it takes: of a viewer's credit, and of a message.
    var size: (credit: Int, message: Int) {
        var size = (
            credit: 56 * placed.count + 4 * released.count, message: PictureChange.Placement.byteCount * placed.count
        )
        for key in shown {
            guard let element = present[key] else { continue }
            let bytes = element.content.byteCount + element.objectID.utf8.count
            size.credit += bytes + 80
            size.message += bytes + element.reuseIdentifier.utf8.count + PictureItem.overhead
        }
        for element in rebound {
            let bytes = element.content.byteCount
            size.credit += bytes + 12
            size.message += bytes + PictureChange.Rebinding.overhead
        }
        return size
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
