// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The costs of listd on a bus, compared with a service on plain libdbus that exchanges the same messages.
///
/// The duration of a call is elapsed time. A cost is the CPU time of caller, bus and service together.
enum BusRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [1, 10, 50].map { count in ("broadcast \(count)", { broadcastBenchmark(to: count) }) } + [
            ("apply changes", applyChangesBenchmark), ("scroll on the bus", scrollBenchmark),
            ("perform updates", performUpdatesBenchmark), ("burst", burstBenchmark),
            ("start", startBenchmark), ("far away", farAwayBenchmark),
        ]
    }

    /// Measures a change of one object whose signal goes to all subscribers. The bare service gets the same call and
    /// sends the same signal.
    private static func broadcastBenchmark(to count: Int) -> Benchmark {
        let stage = BusStage(subscribers: count)
        let adapter = BareAdapter(stage, "list")
        stage.client.call(adapter.performUpdates(objectCount: 100) { _ in [("title", "first")] })
        stage.setSignals([stage.signal(causedBy: adapter.changeObject(3, title: "captured"))])
        var benchmark = Benchmark("broadcast to \(count)")
        var step = 0
        let change: (BareAdapter) -> BareMessage = { adapter in
            step += 1
            return adapter.changeObject(3, title: "step \(step)")
        }
        addBroadcast(to: &benchmark, stage, adapter, count, change)
        benchmark.add("Updated to \(count)", iterations: 300, clock: stage.clock, memoryOf: stage.daemonMemory) {
            stage.client.call(change(adapter))
            return step
        }
        benchmark.add("bare signal to \(count)", iterations: 300, clock: stage.clock, memoryOf: stage.serviceMemory) {
            stage.client.call(change(adapter).redirected(to: BusStage.bareName, method: "Signals"))
            return step
        }
        benchmark.expect(
            "one object changes, `Updated` to \(count) subscribers", "Updated to \(count)", atMost: 1.3,
            times: "bare signal to \(count)")
        return benchmark
    }

    /// Adds the cost of the broadcast alone. For listd, that is the difference to a list that only its owner may
    /// read, so that nobody receives its signal; for the bare service, the difference to a call that sends no signal.
    private static func addBroadcast(
        to benchmark: inout Benchmark, _ stage: BusStage, _ adapter: BareAdapter, _ count: Int,
        _ change: @escaping (BareAdapter) -> BareMessage
    ) {
        let silent = BareAdapter(stage, "silent", [("readers", "owner")])
        stage.client.call(silent.performUpdates(objectCount: 100) { _ in [("title", "first")] })
        benchmark.addDifference(
            "broadcast of Updated", clock: stage.clock, memoryOf: stage.daemonMemory,
            of: { stage.client.call(change(adapter)) }, from: { stage.client.call(change(silent)) })
        benchmark.addDifference(
            "broadcast of a bare signal", clock: stage.clock, memoryOf: stage.serviceMemory,
            of: { stage.client.call(change(adapter).redirected(to: BusStage.bareName, method: "Signals")) },
            from: { stage.client.call(change(adapter).redirected(to: BusStage.bareName, method: "Empty")) })
        benchmark.expect(
            "broadcast of one `Updated` to \(count) subscribers", "broadcast of Updated", atMost: 1.3,
            times: "broadcast of a bare signal")
        addBroadcastsInFlight(to: &benchmark, stage, count, change)
    }

    /// Adds the cost of a broadcast with sixteen calls in flight, one for each of sixteen lists. It shows the cost
    /// for a busy listd, where the bus does not have to be woken for each broadcast.
    private static func addBroadcastsInFlight(
        to benchmark: inout Benchmark, _ stage: BusStage, _ count: Int, _ change: @escaping (BareAdapter) -> BareMessage
    ) {
        let lists = (0..<16).map { BareAdapter(stage, "list\($0)") }
        let silent = (0..<16).map { BareAdapter(stage, "silent\($0)", [("readers", "owner")]) }
        for list in lists + silent {
            stage.client.call(list.performUpdates(objectCount: 100) { _ in [("title", "first")] })
        }
        func bareCalls(of member: String) -> [BareMessage] {
            lists.map { change($0).redirected(to: BusStage.bareName, method: member) }
        }
        benchmark.addDifference(
            "16 broadcasts of Updated", clock: stage.clock, memoryOf: stage.daemonMemory,
            of: { stage.client.callAll(lists.map(change)) }, from: { stage.client.callAll(silent.map(change)) })
        benchmark.addDifference(
            "16 broadcasts of a bare signal", clock: stage.clock, memoryOf: stage.serviceMemory,
            of: { stage.client.callAll(bareCalls(of: "Signals")) },
            from: { stage.client.callAll(bareCalls(of: "Empty")) })
        benchmark.expect(
            "broadcasts of `Updated` to \(count) subscribers, 16 calls in flight", "16 broadcasts of Updated",
            atMost: 1.3, times: "16 broadcasts of a bare signal")
    }

    /// Measures the round trip of `ApplyChanges`, which is the elapsed time from a call to its reply. Calls of listd
    /// and of the bare service take turns.
    ///
    /// Although nobody subscribes, `Updated` is sent to the bus before the reply, and is part of the time. The CPU
    /// time of all processes together is shown as well, without a budget.
    private static func applyChangesBenchmark() -> Benchmark {
        let stage = BusStage()
        let adapter = BareAdapter(stage, "list")
        stage.client.call(adapter.performUpdates(objectCount: 1000) { _ in [("title", "first")] })
        var benchmark = Benchmark("apply changes")
        var step = 0
        let change = {
            step += 1
            return adapter.changeObject(step % 1000, title: "step \(step)")
        }
        benchmark.addElapsed("ApplyChanges of one object", iterations: 300, memoryOf: stage.daemonMemory) {
            let call = change()
            return Runner.elapsed { stage.client.call(call) }
        }
        addEmptyCalls(to: &benchmark, stage)
        stage.setSignals([stage.signal(causedBy: change())])
        benchmark.addElapsed("bare signal and answer", iterations: 300, memoryOf: stage.serviceMemory) {
            let call = change().redirected(to: BusStage.bareName, method: "Signals")
            return Runner.elapsed { stage.client.call(call) }
        }
        for (name, clock) in [("listd", stage.daemon), ("the bus", stage.bus)] {
            benchmark.add(
                "ApplyChanges, CPU of \(name)", iterations: 300, clock: { clock.time }, memoryOf: stage.daemonMemory
            ) {
                stage.client.call(change())
                return step
            }
        }
        benchmark.add(
            "ApplyChanges, CPU of all", iterations: 300, clock: stage.clock, memoryOf: stage.daemonMemory
        ) {
            stage.client.call(change())
            return step
        }
        benchmark.expect(
            "`ApplyChanges` of one object, durability memory, round trip", "ApplyChanges of one object", atMost: 1.5,
            times: "empty round trip")
        benchmark.expect(
            "`ApplyChanges` of one object, beside a service that says as much", "ApplyChanges of one object",
            atMost: 1.35, times: "bare signal and answer")
        return benchmark
    }

    /// Adds the CPU time of a call of the bare service's empty method.
    private static func addEmptyCalls(to benchmark: inout Benchmark, _ stage: BusStage) {
        stage.addEmptyRoundTrip(to: &benchmark)
        benchmark.add(
            "empty round trip, CPU of all", iterations: 300, clock: stage.clock, memoryOf: stage.serviceMemory
        ) {
            stage.client.call(stage.bareCall("Empty"))
            return 0
        }
    }

    /// Measures a step of scrolling that shows twenty other cells and releases twenty. The time is from the call to
    /// its reply, before which the picture arrives. The picture is acknowledged between two steps.
    private static func scrollBenchmark() -> Benchmark {
        let stage = BusStage()
        let adapter = BareAdapter(stage, "list")
        stage.client.call(adapter.performUpdates(objectCount: 10_000) { [("title", "row \($0)")] })
        let view = adapter.openView(by: stage.client)
        var benchmark = Benchmark("scroll on the bus")
        var step = 0
        let scroll = {
            step += 1
            // Scrolls past the view's buffer on both sides, so that all cells are new.
            let call = adapter.setViewport(view, y: Double(step % 400) * 1000, height: 840)
            var sequence: UInt64 = 0
            let time = Runner.elapsed {
                var reader = stage.client.call(call).reader
                sequence = reader.uint64()
            }
            stage.client.call(adapter.acknowledge(view, sequence: sequence))
            stage.client.discardReceivedMessages()
            return time
        }
        benchmark.addElapsed("SetViewport, 20 new cells", iterations: 300, memoryOf: stage.daemonMemory, scroll)
        addEmptyCalls(to: &benchmark, stage)
        _ = scroll()
        let picture = pictureSignals(of: adapter, view: view)
        stage.setSignals(picture)
        benchmark.addElapsed(
            "bare signals (\(picture.count)) and answer", iterations: 300, memoryOf: stage.serviceMemory
        ) {
            let call = adapter.setViewport(view, y: 1000, height: 840).redirected(
                to: BusStage.bareName, method: "Signals")
            let time = Runner.elapsed { stage.client.call(call) }
            stage.client.discardReceivedMessages()
            return time
        }
        benchmark.add(
            "SetViewport and Ack, CPU of all", iterations: 300, clock: stage.clock, memoryOf: stage.daemonMemory, scroll
        )
        benchmark.expect(
            "scroll step, 20 new cells, round trip", "SetViewport, 20 new cells", atMost: 2.5,
            times: "empty round trip")
        benchmark.expect(
            "scroll step, 20 new cells, beside a service that says as much", "SetViewport, 20 new cells", atMost: 1.9,
            times: "bare signals (\(picture.count)) and answer")
        return benchmark
    }

    /// Returns the signals that listd sends for one step before its reply, in the order of arrival: the signals to
    /// all subscribers and those of the view.
    private static func pictureSignals(of adapter: BareAdapter, view: String) -> [BareMessage] {
        let (client, listener) = (adapter.stage.client, BareConnection(adapter.stage.address))
        listener.addMatchRule("type='signal',sender='\(BusStage.listd)'")
        for connection in [listener, client] { connection.discardReceivedMessages() }
        var reader = client.call(adapter.setViewport(view, y: 500_000, height: 840)).reader
        let sequence = reader.uint64()
        // The bus replies only after it has delivered everything that was sent before.
        _ = listener.hasOwner(BusStage.listd)
        var signals: [BareMessage] = []
        for connection in [listener, client] {
            while let message = connection.nextMessage(timeout: 0) { signals += message.isSignal ? [message] : [] }
        }
        client.call(adapter.acknowledge(view, sequence: sequence))
        return signals
    }

    /// Measures a thousand calls in flight at once, compared with a thousand empty calls and one signal with the same
    /// content.
    private static func burstBenchmark() -> Benchmark {
        let stage = BusStage(subscribers: 50)
        let adapter = BareAdapter(stage, "list")
        stage.client.call(adapter.performUpdates(objectCount: 1000) { _ in [("title", "first")] })
        stage.setSignals([
            stage.signal(causedBy: adapter.performUpdates(objectCount: 1000) { _ in [("title", "captured")] })
        ])
        var benchmark = Benchmark("burst")
        var step = 0
        benchmark.add("1000 updates at once", clock: stage.clock, memoryOf: stage.daemonMemory) {
            step += 1
            stage.client.callAll((0..<1000).map { adapter.changeObject($0, title: "step \(step)") })
            return step
        }
        benchmark.add("1000 empty calls and one signal", clock: stage.clock, memoryOf: stage.serviceMemory) {
            step += 1
            let calls = (0..<999).map {
                adapter.changeObject($0, title: "step \(step)").redirected(to: BusStage.bareName, method: "Empty")
            }
            stage.client.callAll(calls + [stage.bareCall("Signals")])
            return step
        }
        benchmark.expect(
            "1,000 updates at once, 50 subscribers", "1000 updates at once", atMost: 3,
            times: "1000 empty calls and one signal")
        return benchmark
    }

    private static func startBenchmark() -> Benchmark {
        let stage = BusStage()
        var times: [Double] = []
        for _ in 0..<9 {
            let other = BusStage()
            times.append(other.daemon.time)
        }
        _ = stage
        var benchmark = Benchmark("start")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "start to the name on the bus, no lists", value: times.sorted()[4], unit: "ms", limit: 40,
                note: "CPU time of listd"))
        return benchmark
    }

    /// Measures changes at the end of a list of which fifty views show the beginning.
    private static func farAwayBenchmark() -> Benchmark {
        let stage = BusStage()
        let adapter = BareAdapter(stage, "list")
        stage.client.call(adapter.performUpdates(objectCount: 10_000) { _ in [("title", "first")] })
        let viewers = (0..<50).map { _ in BareConnection(stage.address) }
        for viewer in viewers {
            let view = adapter.openView(by: viewer)
            viewer.call(adapter.setViewport(view, y: 0, height: 480))
            viewer.discardReceivedMessages()
        }
        for step in 0..<100 { stage.client.call(adapter.changeObject(9_000 + step, title: "step")) }
        var heard = 0
        for viewer in viewers {
            // The bus replies only after it has delivered everything that was sent before.
            _ = viewer.hasOwner(BusStage.listd)
            while let message = viewer.nextMessage(timeout: 0) { heard += message.isSignal ? 1 : 0 }
        }
        var benchmark = Benchmark("far away")
        benchmark.facts.append(
            Benchmark.Fact(
                row: "100 changes outside of 50 viewports", value: Double(heard), unit: "messages", limit: 0,
                note: "sent to the views"))
        return benchmark
    }
}
