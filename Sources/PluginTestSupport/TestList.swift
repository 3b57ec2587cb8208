// SPDX-License-Identifier: Apache-2.0

public import ListKit
@_spi(Daemon) public import PluginAPI
internal import Synchronization

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
        configure: (inout ListOptions) -> Void = { _ in }
    ) throws {
        let manifest = try plugin.manifest(for: PluginHost(settings: settings))
        try self.init(TestProvider(manifest, sectionControllers), size: size, buffer: buffer, configure: configure)
    }

    /// Makes a list with one section controller for all objects.
    public convenience init(
        size: Size = Size(width: 320, height: 480), buffer: Double = 20,
        configure: (inout ListOptions) -> Void = { _ in },
        controller: @escaping @Sendable () -> ListSectionController
    ) throws {
        try self.init(
            TestProvider(.controller("controller", controller)), size: size, buffer: buffer, configure: configure)
    }

    /// Makes a list with one section controller for all objects, whose initialiser gets the context.
    public convenience init(
        size: Size = Size(width: 320, height: 480), buffer: Double = 20,
        configure: (inout ListOptions) -> Void = { _ in },
        controller: @escaping @Sendable (ListCollectionContext) -> ListSectionController
    ) throws {
        try self.init(
            TestProvider(.controller("controller", controller)), size: size, buffer: buffer, configure: configure)
    }

    private init(
        _ provider: TestProvider, size: Size, buffer: Double,
        configure: (inout ListOptions) -> Void
    ) throws(ListError) {
        var configuration = ListOptions(name: "test")
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
        let results = adapter.flushNow(now: executor.now)
        for result in results { events += result.events }
        events += adapter.takeEvents()
        return results
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
            throw ListError(.noSuchObject, "the list has no object \(id.quoted)")
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

extension TestList {
    /// Returns all items of an object's section, whether the view shows them or not; none for an unknown object.
    public func items(of id: String) -> [ListItem] {
        adapter.section(forID: id).map { adapter.items(inSection: $0) } ?? []
    }

    /// The present picture of the view: its cells, headers and footers with their frames.
    public var picture: Picture {
        get throws(ListError) { try adapter.resync(view: Self.view) }
    }

    /// Returns the cells, headers and footers of an object that the view shows.
    public func shown(of id: String) throws(ListError) -> [PictureItem] {
        try picture.items.filter { $0.objectID == id }
    }

    /// Returns the header or footer of an object's section, as the view shows it; `nil` when it is not shown.
    public func shown(_ kind: ElementKind, of id: String) throws(ListError) -> PictureItem? {
        try shown(of: id).first { $0.kind == kind }
    }

    /// Returns the section controller of an object.
    public func sectionController(of id: String) -> ListSectionController? { adapter.sectionController(forID: id) }

    /// The faults of section controllers since the list was made, such as negative counts, sizes that are not finite,
    /// and repeated identities.
    public var faults: [SectionFault] {
        events.compactMap { event in
            if case .sectionFault(let fault) = event { fault } else { nil }
        }
    }
}

/// A provider of the section controllers in a plugin's manifest.
final class TestProvider: ListSectionControllerProvider {
    private let kinds: [String: ListSectionControllerKind]

    /// Makes a provider of one section controller for all object types.
    init(_ entry: SectionControllerEntry) {
        kinds = ["*": entry.kind(named: entry.name)]
    }

    /// Makes a provider of section controllers by object type. If `names` is empty, the manifest's first section
    /// controller is used for all types.
    init(_ manifest: PluginManifest, _ names: [String: String]) throws(ListError) {
        var kinds: [String: ListSectionControllerKind] = [:]
        for (type, name) in names {
            guard let entry = manifest.sectionControllers.first(where: { $0.name == name }) else {
                throw ListError(
                    .noSuchSectionController,
                    "plugin \(manifest.name) has no section controller \(name.quoted)")
            }
            kinds[type] = entry.kind(named: "\(manifest.name)/\(name)")
        }
        if names.isEmpty, let first = manifest.sectionControllers.first {
            kinds["*"] = first.kind(named: "\(manifest.name)/\(first.name)")
        }
        self.kinds = kinds
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        kinds[type] ?? kinds["*"] ?? BuiltInSectionControllers.kind(named: BuiltInSectionControllers.single)
    }
}

/// The executor of a ``TestList``, with a clock that the test advances. It runs the timers of section controllers.
final class TestExecutor: ListExecutor {
    private struct Work {
        var due: UInt64
        var run: @Sendable () -> Void
    }

    private struct Schedule {
        var now: UInt64 = 0
        var waiting: [Work] = []
    }

    private let schedule = Mutex(Schedule())

    func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        schedule.withLock { schedule in
            schedule.waiting.append(Work(due: schedule.now &+ milliseconds, run: work))
        }
    }

    /// The time, in milliseconds since the list was made.
    var now: UInt64 { schedule.withLock { $0.now } }

    /// Removes and returns the next work that is due at or before a time, and advances the clock to its due time.
    /// Without such work, it advances the clock to `end` and returns nil.
    func popNext(until end: UInt64) -> (@Sendable () -> Void)? {
        schedule.withLock { schedule in
            let due = schedule.waiting.indices.filter { schedule.waiting[$0].due <= end }
            guard let first = due.min(by: { schedule.waiting[$0].due < schedule.waiting[$1].due }) else {
                schedule.now = max(schedule.now, end)
                return nil
            }
            let work = schedule.waiting.remove(at: first)
            schedule.now = max(schedule.now, work.due)
            return work.run
        }
    }
}
