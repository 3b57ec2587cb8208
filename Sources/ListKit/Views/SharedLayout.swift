// SPDX-License-Identifier: Apache-2.0

/// A layout that several views share, because they have the same size and the same layout settings.
///
/// Each change of the layout calls section controllers, which see the geometry of the first of these views.
final class SharedLayout {
    /// The properties that are equal in all views that share a layout.
    struct Key: Hashable {
        let kind: ListLayoutKind
        let configuration: LayoutConfiguration
        /// The size of the viewport.
        let size: Size
        /// The content insets that section controllers see.
        let inset: EdgeInsets

        fileprivate func differsInSizeOnly(from other: Key) -> Bool {
            kind == other.kind && configuration == other.configuration && inset == other.inset
        }
    }

    let key: Key
    private(set) var layout: any ListLayout
    /// The layout before the update that is being presented, if it is needed for anchoring.
    private(set) var oldLayout: (any ListLayout)?
    /// Whether the update that is being presented changed any frame.
    private(set) var haveFramesChanged = false
    /// Whether a section controller has given a size that may be another one in a viewport of another size.
    private var dependsOnSize = false
    /// Whether only one view uses the layout, because its viewer measured item sizes.
    let isPrivate: Bool
    /// The views that use the layout, in ascending order.
    private var views: [ViewID] = []

    init(_ key: Key, _ layout: any ListLayout, isPrivate: Bool) {
        self.key = key
        self.layout = layout
        self.isPrivate = isPrivate
    }

    /// Whether no view uses the layout.
    var isUnused: Bool { views.isEmpty }

    /// Adds a view that uses the layout.
    func add(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place == views.count || views[place] != view { views.insert(view, at: place) }
    }

    /// Removes a view that no longer uses the layout.
    func remove(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place < views.count, views[place] == view { views.remove(at: place) }
    }

    /// Keeps a copy of the present layout until ``releaseOldLayout()``.
    func keepOldLayout() { oldLayout = layout }

    /// Releases the copy that ``keepOldLayout()`` made.
    func releaseOldLayout() { oldLayout = nil }

    /// Lays all sections out.
    ///
    /// - Parameter other: a layout of the same list in another size, which is used if no size depends on that of the
    ///   viewport.
    func prepare(
        _ measured: [SectionHandle: [Int: Size]], like other: SharedLayout? = nil, in environment: ViewEnvironment
    ) {
        if let other, !other.isPrivate, !other.dependsOnSize, measured.isEmpty, key.differsInSizeOnly(from: other.key) {
            var changed = other.layout
            if changed.setContainer(key.size) { return layout = changed }
        }
        changeLayout(measured, in: environment) { layout, source in
            layout.prepare(source, container: key.size)
            return true
        }
    }

    /// Applies an update of the list.
    ///
    /// - Parameter resized: the items of which only the sizes changed.
    func update(
        _ changes: LayoutChanges, resized: [IndexPath] = [], _ measured: [SectionHandle: [Int: Size]] = [:],
        in environment: ViewEnvironment
    ) {
        haveFramesChanged = changeLayout(measured, in: environment) { layout, source in
            var haveFramesChanged = layout.update(changes, source: source)
            guard !resized.isEmpty else { return haveFramesChanged }
            if layout.resize(resized, source: source) { haveFramesChanged = true }
            // A section that got a fault meanwhile is laid out again, with error items.
            if !source.faults.isEmpty, layout.update(LayoutChanges(reloads: source.faults), source: source) {
                haveFramesChanged = true
            }
            return haveFramesChanged
        }
    }

    /// Runs a closure that changes the layout and thereby calls section controllers.
    ///
    /// The views have an empty layout meanwhile. A section controller that reads their layout finds no elements.
    /// - Returns: the result of the closure, which is whether any frame changed.
    @discardableResult
    private func changeLayout(
        _ measured: [SectionHandle: [Int: Size]], in environment: ViewEnvironment,
        _ change: (inout any ListLayout, ViewLayoutSource) -> Bool
    ) -> Bool {
        guard let view = views.first else { return false }
        var changed = layout
        layout = NoLayout()
        let container = ListContainer(
            size: key.size, inset: key.inset, direction: environment.options.direction, layout: key.kind)
        let source = ViewLayoutSource(environment.store, measured: measured, container: container)
        var haveFramesChanged = false
        environment.layOut(view) { haveFramesChanged = change(&changed, source) }
        layout = changed
        dependsOnSize = dependsOnSize || source.dependsOnSize || !measured.isEmpty
        return haveFramesChanged
    }
}

/// The layouts of a list that several views may share.
final class SharedLayouts {
    private var layouts: [SharedLayout.Key: SharedLayout] = [:]

    /// Whether the update that is being presented changed any frame in a shared layout.
    var haveFramesChanged: Bool { layouts.values.contains(where: \.haveFramesChanged) }

    /// Returns the layout with a key, or `nil` if no view uses such a layout.
    func layout(for key: SharedLayout.Key) -> SharedLayout? { layouts[key] }

    /// Adds a layout, so that other views may share it.
    func add(_ layout: SharedLayout) { layouts[layout.key] = layout }

    /// Removes a layout if no view uses it any more.
    func removeIfUnused(_ layout: SharedLayout) {
        if layout.isUnused, layouts[layout.key] === layout { layouts[layout.key] = nil }
    }

    /// Removes all layouts. Views that are laid out from now on do not share them.
    func removeAll() { layouts = [:] }

    /// Keeps copies of the present layouts until ``releaseOldLayouts()``.
    func keepOldLayouts() { for layout in layouts.values { layout.keepOldLayout() } }

    /// Releases the copies that ``keepOldLayouts()`` made.
    func releaseOldLayouts() { for layout in layouts.values { layout.releaseOldLayout() } }

    /// Applies an update of the list to all layouts.
    func update(_ changes: LayoutChanges, resized: [IndexPath], in environment: ViewEnvironment) {
        for layout in layouts.values { layout.update(changes, resized: resized, in: environment) }
    }
}
