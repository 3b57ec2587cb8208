// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
@_spi(Daemon) package import ListKit
internal import PluginAPI

/// A tracer of the calls of a plugin's code for one list. It writes a breadcrumb before each call, clears it
/// afterwards, and measures the time.
///
/// It is also the list's executor in front of the real one, in order to trace the timers of section controllers.
package final class CallTracer: CallObserver, ListExecutor, @unchecked Sendable {
    // Sendable: the state belongs to the list's executor, on which every method but `perform` is called.
    private let slot: BreadcrumbSlot?
    /// Set once, before the list is used.
    private var executor: HostExecutor?
    /// The user for whom the list works at present, and the request that waits for an answer; nil = none.
    private var caller: (user: UInt32, request: RequestID)?
    private var stamp: UInt64 = 0
    private var calls: [Breadcrumb] = []
    private var stopwatch = CallbackStopwatch()
    private var times: [String: CallbackTimes.Times] = [:]

    /// Makes a tracer that writes breadcrumbs to a slot; nil = it only measures time.
    package init(_ slot: BreadcrumbSlot?) { self.slot = slot }

    /// Sets the executor on which timers run. Call this once, before the list is used.
    func setExecutor(_ executor: HostExecutor) { self.executor = executor }

    /// Runs `body`, and attributes the calls in it to a user, or to the list itself if that is nil.
    ///
    /// - Parameter request: the user's request that waits for an answer; 0 = none.
    func run<Result>(for user: UInt32?, request: RequestID = 0, _ body: () -> Result) -> Result {
        caller = user.map { ($0, request) }
        defer { caller = nil }
        return body()
    }

    package func willCall(_ call: ListControllerCall) {
        stopwatch.willCall()
        guard slot != nil else { return }
        begin(
            Breadcrumb(
                kind: PluginCallback(call.callback), controller: call.controllerName, object: call.objectID))
    }

    package func didCall(_ call: ListControllerCall) {
        if let (plugin, nanoseconds) = stopwatch.didCall(call) {
            times[plugin, default: CallbackTimes.Times()].addCall(nanoseconds: nanoseconds)
        }
        end()
    }

    /// Returns the times of section controllers since the last call, by plugin, and resets them.
    func popTimes() -> [String: CallbackTimes.Times] {
        defer { times = [:] }
        return times
    }

    /// Wraps a section controller's entry so that calls of its traits are traced, too. The engine does not report
    /// them to its call observer.
    func traced(_ entry: SectionControllerEntry, of plugin: String) -> SectionControllerEntry {
        guard slot != nil, let traits = entry.traits else { return entry }
        let name = "\(plugin)/\(entry.name)"
        return .controller(
            entry.name,
            traits: { [unowned self] in
                let traits = trace(.shape, controller: name, object: "") { traits() }
                let viewModels = traits.viewModels.map { viewModels in
                    { @Sendable object in
                        self.trace(.shape, controller: name, object: object.id) { viewModels(object) }
                    }
                }
                return ListSectionTraits(
                    numberOfItems: { object in
                        self.trace(.shape, controller: name, object: object.id) { traits.numberOfItems(object) }
                    },
                    shape: { object, container in
                        self.trace(.shape, controller: name, object: object.id) { traits.shape(object, container) }
                    }, viewModels: viewModels)
            }, entry.make)
    }

    /// Runs and traces a call that the engine does not report.
    func trace<Result>(
        _ kind: PluginCallback, controller: String, object: String, _ body: () -> Result
    ) -> Result {
        begin(Breadcrumb(kind: kind, controller: controller, object: object))
        defer { end() }
        return body()
    }

    /// Runs work later, and traces it as a timer of the callback that is running now, with the same user as its
    /// cause. Work that another thread has scheduled has neither name nor cause.
    package func perform(after milliseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
        guard let executor else { return }
        let origin = executor.isCurrent ? calls.last : nil
        executor.perform(after: milliseconds) {
            self.run(for: origin?.user) {
                self.trace(.timer, controller: origin?.controller ?? "", object: origin?.object ?? "", work)
            }
        }
    }

    private func begin(_ call: Breadcrumb) {
        guard let slot else { return }
        var call = call
        if let caller { (call.user, call.request) = caller }
        slot.write(call)
        if calls.isEmpty {
            stamp &+= 1
            slot.setStamp(stamp)
        }
        calls.append(call)
    }

    private func end() {
        guard let slot, calls.popLast() != nil else { return }
        if let outer = calls.last {
            slot.write(outer)
        } else {
            slot.setStamp(0)
        }
    }
}
