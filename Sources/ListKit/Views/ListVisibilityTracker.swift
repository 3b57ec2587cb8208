// SPDX-License-Identifier: Apache-2.0

/// Whether a viewer's widget can be seen, by what is around it.
///
/// For programs that have widgets: what it says goes into ``ListAdapter/setVisible(_:view:)``.
public struct ListVisibilityTracker: Sendable, Hashable {
    /// What the tracker knows.
    @frozen public enum State: Sendable, Hashable {
        /// It is in a window, and nothing around it is hidden.
        case maybeVisible
        /// It cannot be seen, but it is so young that it may be about to.
        case notVisibleEarly
        /// It cannot be seen.
        case notVisible
    }

    /// One widget: the tracked one, one that it is in, or the window.
    public struct Layer: Sendable, Hashable {
        /// Whether it is hidden.
        public var isHidden: Bool
        /// How opaque it is, from 0 to 1.
        public var alpha: Double

        /// Makes a layer that can be seen.
        public init(isHidden: Bool = false, alpha: Double = 1) {
            self.isHidden = isHidden
            self.alpha = alpha
        }
    }

    /// For how long after its making a widget counts as early, in milliseconds.
    public var earlyInterval: UInt64
    private let creation: UInt64

    /// Starts to track a widget that is made now.
    public init(now: UInt64, earlyInterval: UInt64 = 1000) {
        creation = now
        self.earlyInterval = earlyInterval
    }

    /// What can be said.
    ///
    /// - Parameter layers: the widget, everything that it is in, and the window last; `nil` when it is in no window.
    public func state(layers: [Layer]?, now: UInt64) -> State {
        if let layers, layers.allSatisfy({ !$0.isHidden && $0.alpha >= Double(Float.ulpOfOne) }) {
            return .maybeVisible
        }
        return now.saturatingSubtracting(creation) <= earlyInterval ? .notVisibleEarly : .notVisible
    }
}
