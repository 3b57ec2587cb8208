// SPDX-License-Identifier: Apache-2.0

extension Rect {
    /// Whether all four numbers are finite.
    var isFinite: Bool {
        origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
    }
}

extension Size {
    /// Whether both numbers are finite.
    var isFinite: Bool { width.isFinite && height.isFinite }

    /// The size less insets, never below zero.
    func inset(by insets: EdgeInsets) -> Size {
        Size(width: max(0, width - insets.left - insets.right), height: max(0, height - insets.top - insets.bottom))
    }
}
