// SPDX-License-Identifier: Apache-2.0

extension SectionStore {
    /// The geometry of a section; an error item has the viewport's width and 44.
    func askShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        guard fault(of: handle) == nil, let object = map.object(of: handle) else {
            return faultShape(of: handle, in: container)
        }
        if let traits = kind(for: object)?.traits {
            return checked(traits.shape(object, container), of: handle, in: container)
        }
        guard let controller = controller(of: handle), fault(of: handle) == nil else {
            return faultShape(of: handle, in: container)
        }
        let shape = gate.call(.size, handle, in: self) { self.shape(of: controller, handle, in: container) }
        return checked(shape, of: handle, in: container)
    }

    /// What a section controller says of one of its items; `nil` when the section is at fault, or turns out to be.
    func askGeometry<Geometry>(
        ofItemAt index: Int, of handle: SectionHandle, _ ask: (ListSectionController, Int) -> Geometry,
        isGood: (Geometry) -> Bool
    ) -> Geometry? {
        guard let controller = controller(of: handle), fault(of: handle) == nil else { return nil }
        let geometry = gate.call(.size, handle, in: self) { ask(controller, index) }
        guard fault(of: handle) == nil, isGood(geometry) else {
            fault(handle, "returned a size that is not finite")
            return nil
        }
        return geometry
    }

    private func shape(
        of controller: ListSectionController, _ handle: SectionHandle, in container: ListContainer
    ) -> ListSectionShape {
        let count = map.itemCount(of: handle)
        var metrics = SectionMetrics(
            itemCount: count, inset: controller.inset, lineSpacing: controller.minimumLineSpacing,
            interitemSpacing: controller.minimumInteritemSpacing)
        if let source = controller.supplementarySource {
            let kinds = source.supportedElementKinds
            func length(_ kind: ElementKind) -> Double {
                guard kinds.contains(kind) else { return 0 }
                let size = source.sizeForSupplementaryElement(of: kind)
                return container.direction == .vertical ? size.height : size.width
            }
            metrics.headerLength = length(.header)
            metrics.footerLength = length(.footer)
        }
        if container.layout.usesPlacements {
            return ListSectionShape(
                metrics: metrics,
                placements: (0..<count).map(controller.placementOfItem))
        }
        return ListSectionShape(
            metrics: metrics, sizes: (0..<count).map(controller.sizeForItem))
    }

    /// A shape whose numbers can be laid out: negative lengths are 0, one that is not finite is a fault.
    private func checked(
        _ shape: ListSectionShape, of handle: SectionHandle, in container: ListContainer
    ) -> ListSectionShape {
        var shape = shape
        let count = map.itemCount(of: handle)
        shape.metrics.itemCount = count
        let isComplete = shape.isComplete(itemCount: count)
        guard fault(of: handle) == nil, isComplete, shape.isFinite else {
            let wrong = isComplete ? "a size that is not finite" : "sizes for another number of items"
            fault(handle, "returned \(wrong)")
            return faultShape(of: handle, in: container)
        }
        return shape
    }

    private func faultShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        let geometry = ItemGeometry(Fields())
        let count = map.itemCount(of: handle)
        return ListSectionShape(
            metrics: SectionMetrics(itemCount: count, uniformItemSize: geometry.size(in: container)),
            placements: Array(repeating: geometry.placement(in: container), count: count))
    }
}

extension ListSectionShape {
    /// Whether there is a size or a place for each item.
    func isComplete(itemCount: Int) -> Bool {
        metrics.uniformItemSize != nil || sizes.count == itemCount || placements.count == itemCount
    }

    /// Whether every number is one that can be laid out.
    var isFinite: Bool {
        metrics.isFinite && sizes.allSatisfy(\.isFinite) && placements.allSatisfy(\.frame.isFinite)
    }
}

extension SectionMetrics {
    /// Whether every number is one that can be laid out.
    fileprivate var isFinite: Bool {
        inset.top.isFinite && inset.left.isFinite && inset.bottom.isFinite && inset.right.isFinite
            && lineSpacing.isFinite && interitemSpacing.isFinite && headerLength.isFinite && footerLength.isFinite
            && uniformItemSize?.isFinite != false
    }
}
