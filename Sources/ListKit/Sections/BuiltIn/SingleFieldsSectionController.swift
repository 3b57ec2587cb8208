// SPDX-License-Identifier: Apache-2.0

/// The built-in section controller `listd/single`, which shows all fields of its object in one item.
///
/// The reuse identifier is the field `reuse`, else the type, else `single`. The size is in the fields `width` and
/// `height`. The defaults are the viewport's width and 44 points, or 44 points and the viewport's height in a
/// horizontal list.
final class SingleFieldsSectionController: ListSectionController {
    private var object: ListObject?

    static var kind: ListSectionControllerKind {
        ListSectionControllerKind(
            name: BuiltInSectionControllers.single,
            traits: ListSectionTraits(numberOfItems: { _ in 1 }, shape: shape, countItems: countItems),
            make: { _ in SingleFieldsSectionController() })
    }

    private static func shape(of object: ListObject, in container: ListContainer) -> ListSectionShape {
        let geometry = ItemGeometry(object.fields)
        return ListSectionShape(
            metrics: SectionMetrics(itemCount: 1, uniformItemSize: geometry.size(in: container)),
            placements: container.layout.usesPlacements ? [geometry.placement(in: container)] : [])
    }

    private static func countItems(
        of object: ListObject, in container: ListContainer, adding losses: inout ContentLosses
    ) -> Int {
        for role in ItemGeometry(object.fields).faults(in: container.layout) {
            losses.add(.notANumber, of: object, key: role.rawValue)
        }
        return 1
    }

    override func didUpdate(to object: ListObject) { self.object = object }

    override func item(at index: Int) -> ListItem {
        guard let object else { return .fault("the section has no object yet") }
        let fields = object.fields
        let type = object.type
        return ListItem(
            reuseIdentifier: fields[.reuse]?.string ?? (type.isEmpty ? "single" : type), content: fields)
    }

    override func canMoveItem(at index: Int) -> Bool { true }
}
