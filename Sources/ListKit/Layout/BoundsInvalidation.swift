// SPDX-License-Identifier: Apache-2.0

/// What a layout has to do when its viewport moves or changes size (rule LY-47).
@frozen public enum BoundsInvalidation: Sendable, Hashable {
    /// Nothing: frames stay as they are.
    case nothing
    /// Ask again where the headers stick.
    case supplementaryViews
    /// Lay everything out anew.
    case everything
}

extension LayoutConfiguration {
    /// What a change of the viewport means for the layout.
    ///
    /// Another size means everything; an origin moved along the scroll axis means the sticky headers, if there are any; the
    /// rest means nothing (rules LY-01, LY-47). Only layout `flow` depends on the viewport.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation {
        guard case .flow(let flow) = self else { return .nothing }
        if old.size != new.size { return .everything }
        let moved = flow.direction == .vertical ? old.minY != new.minY : old.minX != new.minX
        return moved && flow.stickyHeaders ? .supplementaryViews : .nothing
    }
}
