// SPDX-License-Identifier: Apache-2.0

extension Rect {
    /// Whether origin and size are finite.
    var isFinite: Bool {
        origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
    }

    /// The reason why the rectangle is not valid as a viewport, naming the number at fault; nil for a valid viewport.
    var viewportFault: String? {
        if isFinite, size.width >= 0, size.height >= 0 { return nil }
        let numbers = [("x", origin.x), ("y", origin.y), ("width", size.width), ("height", size.height)]
        if let (name, number) = numbers.first(where: { !$0.1.isFinite }) { return "\(name) is \(number)" }
        return numbers[2...].first { $0.1 < 0 }.map { "\($0.0) is negative: \($0.1)" }
    }
}

extension Size {
    /// Whether width and height are finite.
    var isFinite: Bool { width.isFinite && height.isFinite }

    /// Returns the size reduced by insets, at least zero.
    func inset(by insets: EdgeInsets) -> Size {
        Size(width: max(0, width - insets.left - insets.right), height: max(0, height - insets.top - insets.bottom))
    }
}
