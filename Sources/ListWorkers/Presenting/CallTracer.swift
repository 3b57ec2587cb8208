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
    /// The user and request for which the list works at present; nil = none.
    private(set) var cause: CallCause?
    private var stamp: UInt64 = 0
    private var calls: [Breadcrumb] = []
    private var stopwatch = CallbackStopwatch()
    private var times: [String: CallbackTimes.Times] = [:]

    /// Makes a tracer that writes breadcrumbs to a slot; nil = it only measures time.
    package init(_ slot: BreadcrumbSlot?) { self.slot = slot }

    /// Sets the executor on which timers run. Call this once, before the list is used.
    func setExecutor(_ executor: HostExecutor) { self.executor = executor }

    /// Runs `body`, and attributes the calls in it to a user and request; nil = to the list itself.
    func withCause<Result>(_ cause: CallCause?, _ body: () -> Result) -> Result {
        self.cause = cause
        defer { self.cause = nil }
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
            self.cause = origin?.cause.map { CallCause(user: $0.user, request: 0) }
            defer { self.cause = nil }
            self.trace(.timer, controller: origin?.controller ?? "", object: origin?.object ?? "", work)
        }
    }

    private func begin(_ call: Breadcrumb) {
        guard let slot else { return }
        var call = call
        call.cause = cause
        write(call, to: slot)
        if calls.isEmpty {
            stamp &+= 1
            slot.setStamp(stamp)
        }
        calls.append(call)
    }

    private func end() {
        guard let slot, calls.popLast() != nil else { return }
        if let outer = calls.last {
            write(outer, to: slot)
        } else {
            slot.setStamp(0)
        }
    }

    private func write(_ call: Breadcrumb, to slot: BreadcrumbSlot) {
        slot.write(call.kind, controller: call.controller, object: call.object, cause: call.cause)
    }
}
