// SPDX-License-Identifier: Apache-2.0

public import ListKit
@_spi(Daemon) public import PluginAPI

/// A list without a daemon, for the tests of a plugin. The test sets its objects, and checks the items, frames and
/// events.
///
/// ```swift
/// let list = try TestList(Greenhouse.self)
/// try list.update([try ListObject(id: "tomatoes", type: "reading", fields: ["celsius": 21.5])])
/// #expect(list.items(of: "tomatoes").first?.content["title"] == "21.5 °C")
/// #expect(list.faults.isEmpty)
/// ```
///
/// The list has one view, so that section controllers have a container size and receive events of display and working
/// range. Everything runs at once, on the test's thread. Timers of section controllers run in ``advance(by:)``.
public final class TestList {
    /// The list's one view.
    public static let view: ViewID = 1

    /// The engine of the list, for functions that this type does not offer.
    public let adapter: ListAdapter
    /// The events since the list was made, in order. A test may remove events.
    public var events: [AdapterEvent] = []

    let executor = TestExecutor()
    private let mark = ListMark()
    private var viewport: Rect
    private var nextRequest: RequestID = 1

    /// Makes a list with section controllers of a plugin.
    ///
    /// - Parameters:
    ///   - plugin: the plugin.
    ///   - sectionControllers: names of section controllers in the plugin's manifest, by object type, or by `*` for
    ///     all other types; if empty, the manifest's first section controller is used for all types.
    ///   - settings: the plugin's settings.
    ///   - size: the size of the view.
    ///   - buffer: how far beyond the viewport items are displayed, in points. Display events count these items too; 20
    ///     is the default of listd's views.
    ///   - configure: changes the options of the list.
    /// - Throws: the error of the plugin's manifest; `noSuchSectionController`.
    public convenience init(
        _ plugin: any Plugin.Type, sectionControllers: [String: String] = [:],
        settings: PluginSettings = PluginSettings(), size: Size = Size(width: 320, height: 480), buffer: Double = 20,
        configure: (inout ListAdapter.Configuration) -> Void = { _ in }
    ) throws {
        let manifest = try plugin.manifest(for: PluginHost(settings: settings))
        try self.init(TestProvider(manifest, sectionControllers), size: size, buffer: buffer, configure: configure)
    }

    /// Makes a list with one section controller for all objects.
    public convenience init(
        size: Size = Size(width: 320, height: 480), buffer: Double = 20,
        configure: (inout ListAdapter.Configuration) -> Void = { _ in },
        controller: @escaping @Sendable () -> ListSectionController
    ) throws {
        try self.init(
            TestProvider(.controller("controller", controller)), size: size, buffer: buffer, configure: configure)
    }

    /// Makes a list with one section controller for all objects, whose initialiser gets the context.
    public convenience init(
        size: Size = Size(width: 320, height: 480), buffer: Double = 20,
        configure: (inout ListAdapter.Configuration) -> Void = { _ in },
        controller: @escaping @Sendable (ListCollectionContext) -> ListSectionController
    ) throws {
        try self.init(
            TestProvider(.controller("controller", controller)), size: size, buffer: buffer, configure: configure)
    }

    private init(
        _ provider: TestProvider, size: Size, buffer: Double,
        configure: (inout ListAdapter.Configuration) -> Void
    ) throws(ListError) {
        var configuration = ListAdapter.Configuration(name: "test")
        configuration.reloadThreshold = 0  // listd's default
        configure(&configuration)
        adapter = ListAdapter(configuration: configuration, controllers: provider)
        viewport = Rect(origin: .zero, size: size)
        adapter.executor = executor
        adapter.performanceDelegate = mark
        var options = ListViewOptions()
        options.buffer = buffer
        try adapter.openView(Self.view, options: options)
        try scroll(to: .zero)
    }

    // MARK: Writing

    /// Replaces the objects of the list; the engine computes the changes.
    ///
    /// - Returns: the transaction; `nil` if nothing has changed.
    @discardableResult
    public func update(_ objects: [ListObject]) throws(ListError) -> Transaction? {
        try perform(.performUpdates(objects: objects))
    }

    /// Removes objects, then inserts or updates other objects.
    @discardableResult
    public func change(
        removed: [String] = [], upserts: [UpdateRequest.Upsert] = []
    ) throws(ListError) -> Transaction? {
        try perform(.applyChanges(removed: removed, upserts: upserts))
    }

    /// Performs any update request.
    ///
    /// - Throws: the error that answers the request.
    @discardableResult
    public func perform(_ operation: UpdateRequest.Operation) throws(ListError) -> Transaction? {
        let id = nextRequest
        nextRequest += 1
        adapter.enqueue(UpdateRequest(id: id, operation: operation), now: executor.now)
        let results = flush()
        if let answer = results.lazy.flatMap(\.answers).first(where: { $0.id == id }) { _ = try answer.outcome.get() }
        return results.lazy.compactMap(\.transaction).first
    }

    /// Runs updates that section controllers have requested, above all with `performBatch`. The other functions call
    /// this by themselves.
    @discardableResult
    public func flush() -> [FlushResult] {
        var results: [FlushResult] = []
        while adapter.flushTiming != .idle {
            let result = flushOnce()
            events += result.events
            results.append(result)
        }
        events += adapter.takeEvents()
        return results
    }

    private func flushOnce() -> FlushResult {
        var step = adapter.beginFlush(now: executor.now)
        while case .diff(let job) = step { step = adapter.finishDiff(job.run()) }
        if case .finished(let result) = step { return result }
        return adapter.commitFlush()
    }

    /// Advances the clock, and runs the timers of section controllers that become due, in order.
    public func advance(by time: Duration) {
        let milliseconds = time / .milliseconds(1)
        let end = executor.now &+ UInt64(max(0, milliseconds.rounded(.down)))
        while let work = executor.popNext(until: end) {
            ListThread.begin()
            work()
            ListThread.end()
            flush()
        }
    }

    // MARK: Viewing

    /// Scrolls the view to an offset of the content.
    public func scroll(to offset: Point) throws(ListError) {
        viewport.origin = offset
        events += try adapter.setViewport(view: Self.view, seen: 0, rect: viewport).effects
        flush()
    }

    /// Selects an item, as a viewer does; returns whether it is selected afterwards.
    @discardableResult
    public func select(_ item: Int = 0, of id: String) throws(ListError) -> Bool {
        let answer = try adapter.selectItem(item, ofObject: id)
        events += answer.events
        flush()
        return answer.selected
    }

    /// Deselects an item, as a viewer does; returns whether it is deselected afterwards.
    @discardableResult
    public func deselect(_ item: Int = 0, of id: String) throws(ListError) -> Bool {
        let answer = try adapter.deselectItem(item, ofObject: id)
        events += answer.events
        flush()
        return answer.deselected
    }

    /// Invokes an action on an item, as a viewer does; returns whether the section controller has handled it.
    @discardableResult
    public func invoke(
        _ action: String, parameters: Fields = Fields(), item: Int = 0, of id: String
    ) throws(ListError) -> Bool {
        let answer = try adapter.invoke(action, parameters: parameters, item: item, ofObject: id)
        events += answer.events
        flush()
        return answer.handled
    }

    /// Highlights an item, as a viewer does while a finger or pointer is down on it, or ends the highlight.
    public func highlight(_ isHighlighted: Bool = true, item: Int = 0, of id: String) throws(ListError) {
        events += try adapter.setHighlighted(isHighlighted, item: item, ofObject: id)
        flush()
    }

    /// Moves an item inside its section, as a user drags it; does nothing when the section controller refuses.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func moveItem(_ item: Int, to destination: Int, of id: String) throws(ListError) {
        guard let section = adapter.section(forID: id) else {
            throw ListError(.noSuchObject, "the list has no object \(id.debugDescription)")
        }
        try perform(
            .moveItem(
                from: IndexPath(section: section, item: item), to: IndexPath(section: section, item: destination)))
    }
}

/// Marks the test's thread during each callback of a section controller, as listd does, so that a sink of a
/// ``TestSource`` behaves as in listd.
private final class ListMark: ListPerformanceDelegate {
    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) { ListThread.begin() }
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) { ListThread.end() }
}
