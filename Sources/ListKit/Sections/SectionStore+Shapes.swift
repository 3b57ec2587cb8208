// SPDX-License-Identifier: Apache-2.0

extension SectionStore {
    /// Returns the geometry of a section, from its kind's traits or its controller.
    ///
    /// An error item fills the viewport across the scroll axis and is 44 points long.
    func askShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        guard fault(of: handle) == nil, let object = map.object(of: handle) else {
            return errorShape(of: handle, in: container)
        }
        if let traits = kind(for: object)?.traits {
            return validated(traits.shape(object, container), of: handle, in: container)
        }
        guard let controller = controller(of: handle), fault(of: handle) == nil else {
            return errorShape(of: handle, in: container)
        }
        let shape = gate.call(.size, handle, in: self) { self.shape(of: controller, handle, in: container) }
        return validated(shape, of: handle, in: container)
    }

    /// Asks a section controller for the geometry of one item. Returns `nil` if the section has a fault, or gets one.
    func askGeometry<Geometry>(
        ofItemAt index: Int, of handle: SectionHandle, _ ask: (ListSectionController, Int) -> Geometry,
        isValid: (Geometry) -> Bool
    ) -> Geometry? {
        guard let controller = controller(of: handle), fault(of: handle) == nil else { return nil }
        let geometry = gate.call(.size, handle, in: self) { ask(controller, index) }
        guard fault(of: handle) == nil, isValid(geometry) else {
            recordFault(of: handle, "the section controller returned a size that is not finite")
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

    /// Returns a complete and finite shape with the section's number of items.
    ///
    /// Records a fault and returns the shape of error items if `shape` is not complete or not finite. Layouts count
    /// negative lengths as 0.
    private func validated(
        _ shape: ListSectionShape, of handle: SectionHandle, in container: ListContainer
    ) -> ListSectionShape {
        var shape = shape
        let count = map.itemCount(of: handle)
        shape.metrics.itemCount = count
        let isComplete = shape.isComplete(itemCount: count)
        guard fault(of: handle) == nil, isComplete, shape.isFinite else {
            let wrong = isComplete ? "a size that is not finite" : "sizes for a wrong number of items"
            recordFault(of: handle, "the section controller returned \(wrong)")
            return errorShape(of: handle, in: container)
        }
        return shape
    }

    private func errorShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        let geometry = ItemGeometry(Fields())
        let count = map.itemCount(of: handle)
        return ListSectionShape(
            metrics: SectionMetrics(itemCount: count, uniformItemSize: geometry.size(in: container)),
            placements: Array(repeating: geometry.placement(in: container), count: count))
    }
}

extension ListSectionShape {
    /// Returns whether the shape has a size or a placement for each item.
    func isComplete(itemCount: Int) -> Bool {
        metrics.uniformItemSize != nil || sizes.count == itemCount || placements.count == itemCount
    }

    /// Whether all numbers are finite.
    var isFinite: Bool {
        metrics.isFinite && sizes.allSatisfy(\.isFinite) && placements.allSatisfy(\.frame.isFinite)
    }
}

extension SectionMetrics {
    /// Whether all numbers are finite.
    fileprivate var isFinite: Bool {
        inset.top.isFinite && inset.left.isFinite && inset.bottom.isFinite && inset.right.isFinite
            && lineSpacing.isFinite && interitemSpacing.isFinite && headerLength.isFinite && footerLength.isFinite
            && uniformItemSize?.isFinite != false
    }
}
