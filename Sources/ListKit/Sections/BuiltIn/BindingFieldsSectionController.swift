// SPDX-License-Identifier: Apache-2.0

/// The built-in section controller `listd/binding`, which makes items of the field `items` and rebinds them in place.
///
/// Other fields of the object give the insets, spacings, header and footer.
final class BindingFieldsSectionController: ListBindingSectionController, ListSupplementarySource {
    private var fields = BindingFields(Fields())

    static var kind: ListSectionControllerKind {
        ListSectionControllerKind(
            name: BuiltInSectionControllers.binding,
            traits: ListSectionTraits(
                numberOfItems: { BindingFields($0.fields).items.count }, shape: shape,
                viewModels: { BindingFields($0.fields).viewModels(type: $0.type) }, countItems: BindingFields.countItems
            ),
            make: { _ in BindingFieldsSectionController() })
    }

    private static func shape(of object: ListObject, in container: ListContainer) -> ListSectionShape {
        let fields = BindingFields(object.fields)
        let geometry = fields.items.map { ItemGeometry($0.fields) }
        let sizes = geometry.map { $0.size(in: container) }
        let isUniform = sizes.dropFirst().allSatisfy { $0 == sizes[0] }
        let metrics = SectionMetrics(
            itemCount: sizes.count, uniformItemSize: isUniform ? sizes.first : nil, inset: fields.inset,
            lineSpacing: fields.lineSpacing, interitemSpacing: fields.interitemSpacing,
            headerLength: BindingFields.length(of: fields.header, in: container.direction),
            footerLength: BindingFields.length(of: fields.footer, in: container.direction))
        return ListSectionShape(
            metrics: metrics, sizes: isUniform ? [] : sizes,
            placements: container.layout.usesPlacements ? geometry.map { $0.placement(in: container) } : [])
    }

    override init() {
        super.init()
        supplementarySource = self
    }

    override func didUpdate(to object: ListObject) {
        super.didUpdate(to: object)
        fields = BindingFields(object.fields)
    }

    override func viewModels(for object: ListObject) -> [ListItem] { fields.viewModels(type: object.type) }

    override func canMoveItem(at index: Int) -> Bool { true }

    /// Returns the object with an item moved. Elements of the field `items` that make no item are left out.
    override func object(movingItemFrom source: Int, to destination: Int) -> ListObject? {
        guard let object, viewModels.indices.contains(source), viewModels.indices.contains(destination) else {
            return nil
        }
        var items = fields.items.map { item in Value(Dictionary(item.fields.map { ($0.key, $0.value) }) { $1 }) }
        items.insert(items.remove(at: source), at: destination)
        var moved = object.fields
        moved[BuiltInField.Key.items.rawValue] = .array(element: "a{sv}", items)
        return try? object.with(fields: moved)
    }

    // MARK: Supplementary views

    var supportedElementKinds: Set<ElementKind> {
        Set([ElementKind.header, .footer].filter { element($0) != nil })
    }

    func sizeForSupplementaryElement(of kind: ElementKind) -> Size {
        Size(
            width: BindingFields.length(of: element(kind), in: .horizontal),
            height: BindingFields.length(of: element(kind), in: .vertical))
    }

    func supplementaryElement(of kind: ElementKind) -> ListItem {
        let content = element(kind) ?? Fields()
        return ListItem(reuseIdentifier: content[.reuse]?.string ?? kind.rawValue, content: content)
    }

    private func element(_ kind: ElementKind) -> Fields? {
        switch kind {
        case .header: fields.header
        case .footer: fields.footer
        case .cell: nil
        }
    }
}
