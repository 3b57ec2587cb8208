// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// A data source of a plugin in its worker, as a source of a list.
///
/// What belongs to the supervision is isolated to the event loop; the sink is called on a queue of the source's own, where
/// it may wait.
@DBusActor
final class WorkerSource: Source {
    nonisolated let name: String
    nonisolated let argument: String
    nonisolated let hints: [String: FieldHint]
    private nonisolated let worker: PluginWorker
    private nonisolated let queue: DispatchQueue
    private nonisolated let sink: SourceSink
    private nonisolated let takesWrites = Atomic(false)

    /// Where it is in the worker; nil when it is nowhere.
    var slot: PresenterNumber?
    var crumb: Int?
    /// Slows it down when it tells something all the time.
    var brake = FloodBrake.perList
    /// Whether it is to run as soon as it is made.
    var isStarted = false
    /// Whether it is ended only to be made anew.
    var isRenewing = false
    /// Told when it was made for the first time, or why it was not.
    var whenMade: (@DBusActor (ListError?) -> Void)?
    /// Answers where it goes on, each time it starts.
    private(set) var place: @Sendable () -> [UInt8]? = { nil }
    private var whenStopped: [@Sendable () -> Void] = []
    /// Whether its end was asked for.
    private(set) var isStopped = false

    /// Describes a data source that is not made yet.
    init(_ name: String, argument: String, of worker: PluginWorker, sink: @escaping SourceSink) {
        self.name = name
        self.argument = argument
        hints = worker.plugin.hints[name] ?? [:]
        self.worker = worker
        self.sink = sink
        queue = DispatchQueue(label: "org.listd.source.\(worker.name).\(name)")
    }

    nonisolated func start(from place: @escaping @Sendable () -> [UInt8]?) {
        EventLoop.shared.post {
            self.place = place
            self.worker.start(self)
        }
    }

    nonisolated var acceptsWrites: Bool { takesWrites.load(ordering: .relaxed) }

    nonisolated func write(_ write: DataSourceWrite, refuse: @escaping @Sendable (ListError) -> Void) {
        EventLoop.shared.post {
            do throws(ListError) { try self.worker.write(write, to: self) } catch { refuse(error) }
        }
    }

    /// It is made.
    func made(_ traits: DataSourceTraits) { takesWrites.store(traits.acceptsWrites, ordering: .relaxed) }

    nonisolated func renew() {
        EventLoop.shared.post { self.worker.renew(self) }
    }

    nonisolated func stop(completion: @escaping @Sendable () -> Void) {
        EventLoop.shared.post {
            self.whenStopped.append(completion)
            guard !self.isStopped else { return self.stopped() }
            self.isStopped = true
            self.worker.stop(self)
        }
    }

    /// It has ended, or there was nothing to end.
    func stopped() {
        let completions = whenStopped
        whenStopped = []
        queue.async { for completion in completions { completion() } }
    }

    /// Hands an event to the list, and says when it was taken.
    func deliver(_ event: SourceEvent, taken: @escaping @Sendable () -> Void) {
        guard !isStopped else { return taken() }
        queue.async { [sink] in
            sink(event)
            taken()
        }
    }

    /// Its worker is gone for now.
    func pause() {
        if isStopped { return stopped() }
        if let completion = whenMade {
            whenMade = nil
            return completion(ListError(.pluginFailed, "the plugin's worker died of the data source \(name)"))
        }
        deliver(.paused) {}
    }

    /// It does not come back by itself.
    func fail(_ error: ListError) { deliver(.failed(error)) {} }
}
