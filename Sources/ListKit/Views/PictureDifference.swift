// SPDX-License-Identifier: Apache-2.0

/// The difference between the picture that a viewer has and the present picture.
struct PictureDifference {
    var released: [SentPicture.Element] = []
    var shown: [SentPicture.Key] = []
    var placed: [SentPicture.Element] = []
    /// The keys of the elements in ``placed``.
    var placedKeys: [SentPicture.Key] = []
    var rebound: [SentPicture.Element] = []
    /// The elements at their former place that have another way to go as sticky ones.
    var rerouted: [SentPicture.Element] = []
    /// Whether the size of the content, or the edge for sticky elements, differs.
    var isResized = false
    /// All elements of the present picture. New elements have no slot yet.
    var present: [SentPicture.Key: SentPicture.Element] = [:]
    /// The keys of all elements of the present picture, section by section.
    var order: [SentPicture.Key] = []

    /// Makes an empty difference.
    ///
    /// - Parameter capacity: the number of elements in the present picture.
    init(capacity: Int) {
        present.reserveCapacity(capacity)
        order.reserveCapacity(capacity)
    }

    /// Whether the pictures are equal.
    var isEmpty: Bool {
        released.isEmpty && shown.isEmpty && placed.isEmpty && rebound.isEmpty && rerouted.isEmpty && !isResized
    }

    /// The approximate number of bytes, as counted for the viewer's credit and as encoded in a message.
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
