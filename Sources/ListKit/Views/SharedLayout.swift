// SPDX-License-Identifier: Apache-2.0

/// Where everything lies in views of one size that lay a list out in one way.
///
/// It asks section controllers while it changes, in the name of its first view.
final class SharedLayout {
    /// What has to be the same in views that share a layout.
    struct Key: Hashable {
        let kind: ListLayoutKind
        let configuration: LayoutConfiguration
        /// The size of the viewport, and the insets that section controllers are told of.
        let size: Size
        let inset: EdgeInsets
    }

    let key: Key
    private(set) var layout: any ListLayout
    /// The layout before the update that is being presented, if anchors are looked for in it.
    private(set) var before: (any ListLayout)?
    /// Whether anything lies elsewhere than before the update that is being presented.
    private(set) var isMoved = false
    /// Whether only one view has it, with sizes that its viewer measured.
    let isPrivate: Bool
    /// The views, in ascending order.
    private var views: [ViewID] = []

    init(_ key: Key, _ layout: any ListLayout, isPrivate: Bool) {
        self.key = key
        self.layout = layout
        self.isPrivate = isPrivate
    }

    /// Whether no view has it.
    var isUnused: Bool { views.isEmpty }

    /// A view has it from now on.
    func add(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place == views.count || views[place] != view { views.insert(view, at: place) }
    }

    /// A view has it no longer.
    func remove(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place < views.count, views[place] == view { views.remove(at: place) }
    }

    /// Keeps the layout as it is until ``forgetBefore()``.
    func rememberBefore() { before = layout }

    /// Forgets the layout before an update.
    func forgetBefore() { before = nil }

    /// Lays everything out.
    func prepare(_ measured: [SectionHandle: [Int: Size]], in environment: ViewEnvironment) {
        change(measured, in: environment) { layout, source in
            layout.prepare(source, container: key.size)
            return true
        }
    }

    /// Follows an update of the list.
    ///
    /// - Parameter resized: items of which only the sizes changed.
    func update(
        _ changes: LayoutChanges, resized: [IndexPath] = [], _ measured: [SectionHandle: [Int: Size]] = [:],
        in environment: ViewEnvironment
    ) {
        isMoved = change(measured, in: environment) { layout, source in
            var isMoved = layout.update(changes, source: source)
            guard !resized.isEmpty else { return isMoved }
            if layout.resize(resized, source: source) { isMoved = true }
            // A section that turns out to be at fault is laid out as one.
            if !source.faults.isEmpty, layout.update(LayoutChanges(reloads: source.faults), source: source) {
                isMoved = true
            }
            return isMoved
        }
    }

    /// Changes the layout, which asks section controllers on the way.
    ///
    /// The layout is out of the views meanwhile: a controller that looks at them finds them empty.
    @discardableResult
    private func change(
        _ measured: [SectionHandle: [Int: Size]], in environment: ViewEnvironment,
        _ change: (inout any ListLayout, ViewLayoutSource) -> Bool
    ) -> Bool {
        guard let view = views.first else { return false }
        var changed = layout
        layout = NoLayout()
        let container = ListContainer(
            size: key.size, inset: key.inset, direction: environment.options.direction, layout: key.kind)
        let source = ViewLayoutSource(environment.store, measured: measured, container: container)
        var isMoved = false
        environment.layOut(view) { isMoved = change(&changed, source) }
        layout = changed
        return isMoved
    }
}

/// The layouts of a list that several views may have.
final class SharedLayouts {
    private var layouts: [SharedLayout.Key: SharedLayout] = [:]

    /// Whether anything lies elsewhere in one of them than before the update that is being presented.
    var areMoved: Bool { layouts.values.contains(where: \.isMoved) }

    /// The layout of a key, if a view has it.
    func layout(for key: SharedLayout.Key) -> SharedLayout? { layouts[key] }

    /// Other views may have a layout.
    func add(_ layout: SharedLayout) { layouts[layout.key] = layout }

    /// A layout that no view has any more goes.
    func removeIfUnused(_ layout: SharedLayout) {
        if layout.isUnused, layouts[layout.key] === layout { layouts[layout.key] = nil }
    }

    /// No view that is laid out from now on gets one of them.
    func removeAll() { layouts = [:] }

    /// Keeps them as they are until ``forgetBefore()``.
    func rememberBefore() { for layout in layouts.values { layout.rememberBefore() } }

    /// Forgets how they were before an update.
    func forgetBefore() { for layout in layouts.values { layout.forgetBefore() } }

    /// Has them follow an update of the list.
    func update(_ changes: LayoutChanges, resized: [IndexPath], in environment: ViewEnvironment) {
        for layout in layouts.values { layout.update(changes, resized: resized, in: environment) }
    }
}
