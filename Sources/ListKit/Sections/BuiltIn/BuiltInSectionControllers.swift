// SPDX-License-Identifier: Apache-2.0

/// The section controllers that need no plugin.
public enum BuiltInSectionControllers {
    /// The name of the controller that shows the fields of its object in one item.
    public static let single = "listd/single"
    /// The name of the controller that shows the items in the field `items`, with header and footer.
    public static let binding = "listd/binding"

    /// Returns the kind with a name, or `nil` if no built-in controller has the name.
    public static func kind(named name: String) -> ListSectionControllerKind? {
        switch name {
        case single: SingleFieldsSectionController.kind
        case binding: BindingFieldsSectionController.kind
        default: nil
        }
    }
}

/// A provider that selects a built-in controller for each object type by a table of names.
///
/// For a type that is not in the table, it uses the entry `*`, or else `listd/single`. For a name that is not built
/// in, it uses `listd/single`.
public final class BuiltInSectionControllerProvider: ListSectionControllerProvider {
    private let names: [String: String]

    /// Makes a provider.
    public init(names: [String: String] = [:]) { self.names = names }

    /// Returns the kind for a type, never `nil`.
    public func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        let name = names[type] ?? names["*"] ?? BuiltInSectionControllers.single
        return BuiltInSectionControllers.kind(named: name) ?? SingleFieldsSectionController.kind
    }
}

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
        let inset = fields.inset
        let sizes = geometry.map { $0.size(in: container, inset: inset) }
        let isUniform = sizes.dropFirst().allSatisfy { $0 == sizes[0] }
        let metrics = SectionMetrics(
            itemCount: sizes.count, uniformItemSize: isUniform ? sizes.first : nil, inset: inset,
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

/// A sum of the content losses of many objects, by reason.
struct ContentLosses {
    private(set) var losses: [ContentLoss] = []

    /// Counts a loss of an object. `key` is evaluated only for the first loss of each reason.
    mutating func add(_ reason: ContentLoss.Reason, of object: ListObject, key: @autoclosure () -> String) {
        if let index = losses.firstIndex(where: { $0.reason == reason }) {
            losses[index].count += 1
        } else {
            losses.append(ContentLoss(reason: reason, count: 1, objectID: object.id, key: key()))
        }
    }
}
