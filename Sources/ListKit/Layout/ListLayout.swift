// SPDX-License-Identifier: Apache-2.0

/// Where everything in a list lies: one of the three layouts behind one face.
///
/// A value: it is told of the list by a ``LayoutSource``, keeps what it needs, and answers questions without asking
/// again. Copies share their storage in pages: a copy that is kept over a change costs that change the pages it
/// touches.
///
/// Layout `none` keeps nothing, as its clients name what they see: its answers are those of an empty list.
///
/// ```swift
/// var layout = ListLayout(.flow(FlowConfiguration()))
/// layout.prepare(source, container: viewport.size)
/// layout.attributes(in: viewport, origin: viewport.origin)      // what is on the screen
/// layout.update(LayoutChanges(inserts: [3]), source: source)    // after the list changed
/// ```
public struct ListLayout: Sendable {
    var engine: Engine

    /// The layout that does the work.
    enum Engine: Sendable {
        case flow(FlowLayout)
        case absolute(AbsoluteLayout)
        /// The client lays out: nothing is kept, everything is empty.
        case none
    }

    /// Makes a layout that knows no list yet.
    public init(_ configuration: LayoutConfiguration) {
        switch configuration {
        case .flow(let configuration): engine = .flow(FlowLayout(configuration))
        case .absolute(let direction): engine = .absolute(AbsoluteLayout(direction: direction))
        case .none: engine = .none
        }
    }

    /// The settings it was made with.
    public var configuration: LayoutConfiguration {
        switch engine {
        case .flow(let flow): .flow(flow.configuration)
        case .absolute(let absolute): .absolute(absolute.direction)
        case .none: .none
        }
    }

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
            change(flow: { $0.configuration.stickyHeaderOffset = newValue }, absolute: { _ in })
        }
    }

    /// Lays the whole list out in a container of the given size, in points.
    ///
    /// Needed at first, when the container's size changes (rule LY-47) and when everything is reloaded. O(sections +
    /// items that are asked one by one).
    public mutating func prepare(_ source: some LayoutSource, container: Size) {
        change(
            flow: { $0.prepare(source, container: container) }, absolute: { $0.prepare(source) })
    }

    /// Follows one transaction of the list.
    ///
    /// The source answers for the list after it. The result is that of ``prepare(_:container:)``, for sections that are
    /// named in the changes or whose answers are the same as before. O(changes · log n) as a rule; a section that makes
    /// all rows after it break elsewhere costs up to O(n).
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        change(
            flow: { $0.update(changes, source: source) }, absolute: { $0.update(changes, source: source) })
    }

    /// Asks for the sizes (`absolute`: the places) of single items again, as after a client measured them.
    ///
    /// Paths that name no item are ignored. O(items · log n), as ``update(_:source:)``.
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) {
        change(
            flow: { $0.resize(items, source: source) }, absolute: { $0.resize(items, source: source) })
    }

    /// Changes the layout in place: while it is out of the enum, nothing else holds it, and no storage is copied.
    private mutating func change(
        flow changeFlow: (inout FlowLayout) -> Void, absolute changeAbsolute: (inout AbsoluteLayout) -> Void
    ) {
        let taken = engine
        engine = .none
        switch consume taken {
        case .flow(var flow):
            changeFlow(&flow)
            engine = .flow(flow)
        case .absolute(var absolute):
            changeAbsolute(&absolute)
            engine = .absolute(absolute)
        case .none: break
        }
    }
}
