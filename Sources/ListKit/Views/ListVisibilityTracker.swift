// SPDX-License-Identifier: Apache-2.0

/// Determines whether a viewer's widget is visible, from the widgets that contain it.
///
/// Programs with widgets pass the result to ``ListAdapter/setVisible(_:view:)``.
public struct ListVisibilityTracker: Sendable, Hashable {
    /// The visibility of the widget.
    @frozen public enum State: Sendable, Hashable {
        /// The widget is in a window, and neither the widget nor a container of it is hidden.
        case maybeVisible
        /// The widget is not visible, but was made so recently that it may be about to appear.
        case notVisibleEarly
        /// The widget is not visible.
        case notVisible
    }

    /// The tracked widget, a widget that contains it, or the window.
    public struct Layer: Sendable, Hashable {
        /// Whether the widget or window is hidden.
        public var isHidden: Bool
        /// The opacity of the widget or window, from 0 to 1.
        public var alpha: Double

        /// Makes a layer, which is visible by default.
        public init(isHidden: Bool = false, alpha: Double = 1) {
            self.isHidden = isHidden
            self.alpha = alpha
        }
    }

    /// The time after its creation during which a widget counts as early, in milliseconds.
    public var earlyInterval: UInt64
    private let creation: UInt64

    /// Makes a tracker for a widget that was just created. `now` is the current time in milliseconds.
    public init(now: UInt64, earlyInterval: UInt64 = 1000) {
        creation = now
        self.earlyInterval = earlyInterval
    }

    /// Returns the visibility of the widget.
    ///
    /// - Parameter layers: the widget, all widgets that contain it, and the window last; `nil` when the widget is in
    ///   no window.
    public func state(layers: [Layer]?, now: UInt64) -> State {
        if let layers, layers.allSatisfy({ !$0.isHidden && $0.alpha >= Double(Float.ulpOfOne) }) {
            return .maybeVisible
        }
        return now.saturatingSubtracting(creation) <= earlyInterval ? .notVisibleEarly : .notVisible
    }
}
