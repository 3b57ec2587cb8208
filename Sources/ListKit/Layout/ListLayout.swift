// SPDX-License-Identifier: Apache-2.0

/// Where everything in a list lies.
///
/// A layout is a value. ``prepare(_:container:)``, ``update(_:source:)`` and ``resize(_:source:)`` ask a ``LayoutSource`` about
/// the list and keep what the layout needs; queries ask nothing. Views keep copies over changes, so storage should be shared
/// in parts.
///
/// ```swift
/// var layout = FlowLayout(LayoutConfiguration())
/// layout.prepare(source, container: viewport.size)
/// layout.attributes(in: viewport, origin: viewport.origin)      // what is on the screen
/// layout.update(LayoutChanges(inserts: [3]), source: source)    // after the list changed
/// ```
///
/// ``ListLayoutKind`` names a layout for the options of lists and views.
public protocol ListLayout: Sendable {
    /// The axis along which the list scrolls.
    var direction: ScrollDirection { get }

    /// How many sections the layout knows.
    var numberOfSections: Int { get }

    /// The size of the whole content, in points; zero without sections.
    var contentSize: Size { get }

    /// Whether ``attributes(in:origin:)`` answers section by section, header first and footer last; views sort its answers
    /// where it does not. Default: false.
    var ordersBySection: Bool { get }

    /// The axis along which the list scrolls; layout `none` says vertical.
    public var direction: ScrollDirection {
        switch engine {
        case .flow(let flow): flow.configuration.direction
        case .absolute(let absolute): absolute.direction
        case .none: .vertical
        }
    }

    /// Added to the scroll offset for sticky headers; 0 and without effect outside layout `flow`.
    public var stickyHeaderOffset: Double {
        get {
            if case .flow(let flow) = engine { flow.configuration.stickyHeaderOffset } else { 0 }
        }
        set {
            change(
                flow: {
                    $0.configuration.stickyHeaderOffset = newValue
                    return true
                }, absolute: { _ in false })
        }
    }

    /// Lays the whole list out in a container of the given size, in points.
    ///
    /// Needed at first, when the container's size changes (rule LY-47) and when everything is reloaded. O(sections +
    /// items that are asked one by one).
    public mutating func prepare(_ source: some LayoutSource, container: Size) {
        change(
            flow: {
                $0.prepare(source, container: container)
                return true
            },
            absolute: {
                $0.prepare(source)
                return true
            })
    }

    /// Follows one transaction of the list.
    ///
    /// The source answers for the list after it. The result is that of ``prepare(_:container:)``, for sections that are
    /// named in the changes or whose answers are the same as before. O(changes · log n) as a rule; a section that makes
    /// all rows after it break elsewhere costs up to O(n).
    /// - Returns: whether anything lies elsewhere than before, or may.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        change(
            flow: { $0.update(changes, source: source) }, absolute: { $0.update(changes, source: source) })
    }

    /// Asks again for the sizes or placements of single items, as after a client measured them.
    ///
    /// Paths that name no item are ignored. O(items · log n), as ``update(_:source:)``.
    /// - Returns: whether anything lies elsewhere than before.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        change(
            flow: { $0.resize(items, source: source) }, absolute: { $0.resize(items, source: source) })
    }

    /// Changes the layout in place: while it is out of the enum, nothing else holds it, and no storage is copied.
    @discardableResult
    private mutating func change(
        flow changeFlow: (inout FlowLayout) -> Bool, absolute changeAbsolute: (inout AbsoluteLayout) -> Bool
    ) -> Bool {
        let taken = engine
        engine = .none
        switch consume taken {
        case .flow(var flow):
            let isMoved = changeFlow(&flow)
            engine = .flow(flow)
            return isMoved
        case .absolute(var absolute):
            let isMoved = changeAbsolute(&absolute)
            engine = .absolute(absolute)
            return isMoved
        case .none: return false
        }
    }
}
