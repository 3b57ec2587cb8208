// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The curves of listd on a private dbus-daemon, called with plain libdbus.
enum BusCurves {
    /// Returns the CPU time of calls by the size of the list.
    static func sizes(upTo largest: Int) -> Curve {
        var curve = Curve("bus", "On the bus: CPU time of caller, bus and listd", sizes: "objects in the list")
        for count in [100, 1_000, 10_000, 100_000] where count <= largest {
            let stage = BusStage()
            let adapter = BareAdapter(stage, "list")
            // Two prepared calls with different objects take turns, so that preparing them is not part of the
            // measured time.
            let lists = ["one", "other"].map { text in
                adapter.performUpdates(objectCount: count) { [("title", $0 % 100 == 0 ? text : "row \($0)")] }
            }
            var step = 0
            let replace = cost(on: stage) {
                step += 1
                stage.client.call(lists[step % 2].copy)
            }
            curve.addPoint(to: "a whole list, 1 % of it changed", size: count, value: replace)
            let view = adapter.openView(by: stage.client)
            curve.addPoint(
                to: "a screen is scrolled, and seen", size: count,
                value: costOfScrolling(view, of: adapter, objectCount: count))
            curve.addPoint(to: "one object changes", size: count, value: costOfChange(in: adapter, amongFirst: count))
            curve.addPoint(to: "empty call of a bare service", size: count, value: costOfEmptyCall(on: stage))
        }
        return curve
    }

    /// Returns the CPU time by the number of views on one list of 1,000 objects. One view shows the object that
    /// changes.
    static func views(upTo largest: Int) -> Curve {
        var curve = Curve(
            "views", "One object changes, and one of many views shows it: CPU time of caller, bus and listd",
            sizes: "views of the list")
        for count in [1, 10, 100, 1_000, 10_000] where count <= largest {
            let stage = BusStage(files: ["listd.conf": "ViewsPerUser=20000\n"])
            let adapter = BareAdapter(stage, "list")
            stage.client.call(adapter.performUpdates(objectCount: 1_000) { [("title", "row \($0)")] })
            let views = (0..<count).map { _ in adapter.openView(by: stage.client) }
            for (number, view) in views.enumerated() {
                // The first view shows the beginning of the list, the others show later parts.
                let y = number == 0 ? 0 : Double(number % 40 + 1) * 1000
                stage.client.call(adapter.setViewport(view, y: y, height: 300))
            }
            stage.client.discardReceivedMessages()
            curve.addPoint(
                to: "one object changes", size: count,
                value: costOfChange(in: adapter, amongFirst: 1, shownBy: views[0]))
            curve.addPoint(to: "empty call of a bare service", size: count, value: costOfEmptyCall(on: stage))
        }
        return curve
    }

    /// Returns the CPU time of a change by the number of subscribers.
    static func subscribers(upTo largest: Int) -> Curve {
        var curve = Curve(
            "subscribers", "One object changes: CPU time of caller, bus and service", sizes: "programs that listen")
        for count in [1, 2, 5, 10, 20, 50, 100] where count <= largest {
            let stage = BusStage(subscribers: count)
            let adapter = BareAdapter(stage, "list")
            stage.client.call(adapter.performUpdates(objectCount: 100) { _ in [("title", "first")] })
            stage.setSignals([stage.signal(causedBy: adapter.changeObject(3, title: "captured"))])
            var step = 0
            func costOfCall(_ body: @escaping (BareMessage) -> BareMessage) -> Double {
                cost(on: stage) {
                    step += 1
                    stage.client.call(body(adapter.changeObject(3, title: "step \(step)")))
                }
            }
            curve.addPoint(to: "listd", size: count, value: costOfCall { $0 })
            let bare = costOfCall { $0.redirected(to: BusStage.bareName, method: "Signals") }
            curve.addPoint(to: "a bare service that says as much", size: count, value: bare)
        }
        return curve
    }

    /// Returns the CPU time of calls for lists on disk, by the size of the list.
    static func stored(upTo largest: Int) -> Curve {
        var curve = Curve("store", "On disk: CPU time", sizes: "stored objects")
        for count in [100, 1_000, 10_000, 100_000, 1_000_000] where count <= largest {
            let stage = BusStage(isStoring: true)
            let adapter = BareAdapter(stage, "list", durability: "disk")
            for start in stride(from: 0, to: count, by: 100_000) {
                stage.client.call(adapter.appendObjects(start..<min(start + 100_000, count)))
            }
            curve.addPoint(to: "start of listd", size: count, value: CurveClock.median(ofAtMost: 5) { stage.restart() })
            stage.client.call(adapter.findObject(0))
            curve.addPoint(
                to: "one object changes", size: count, value: costOfChange(in: adapter, amongFirst: min(count, 100_000))
            )
            stage.stop()
            let plain = PlainSQLite(copyOf: stage.stateDirectory, to: stage.directory.path + "/plain")
            curve.addPoint(
                to: "SQLite reads the rows", size: count,
                value: CurveClock.median(ofAtMost: 5) { CurveClock.cpuTime { plain.readObjects() } })
        }
        return curve
    }

    // MARK: Measuring

    /// Returns the CPU time of caller, bus and service for one execution of the work. Unlike elapsed time, it does
    /// not depend on other programs on the machine.
    private static func cost(on stage: BusStage, _ work: () -> Void) -> Double {
        let clock = stage.clock
        func averageCost(ofRuns times: Int) -> Double {
            let start = clock()
            for _ in 0..<times { work() }
            return (clock() - start) / Double(times)
        }
        // Short work is repeated more often, because the kernel reports CPU times of other processes in microseconds.
        let times = max(1, min(100, Int(30 / max(averageCost(ofRuns: 3), 0.01))))
        return CurveClock.median(ofAtMost: 21) { averageCost(ofRuns: times) }
    }

    /// Returns the CPU time of a call that changes the text of one of the first `count` objects. If a view shows the
    /// object, its picture is acknowledged between the calls.
    private static func costOfChange(in adapter: BareAdapter, amongFirst count: Int, shownBy view: String? = nil)
        -> Double
    {
        let client = adapter.stage.client
        var step = 0
        return cost(on: adapter.stage) {
            step += 1
            client.call(adapter.changeObject((step &* 7919) % count, title: "step \(step)"))
            while let message = client.nextMessage(timeout: 0) {
                guard let view, message.isSignal, message.member == "Changed" else { continue }
                var reader = message.reader
                client.call(adapter.acknowledge(view, sequence: reader.uint64()))
            }
        }
    }

    /// Returns the CPU time of scrolling a view by a screen of twenty rows, or of a shorter list.
    private static func costOfScrolling(_ view: String, of adapter: BareAdapter, objectCount count: Int) -> Double {
        let client = adapter.stage.client
        var step = 0
        return cost(on: adapter.stage) {
            step += 1
            let y = Double(step % max(2, count / 25)) * 1000
            var reader = client.call(adapter.setViewport(view, y: y, height: 840)).reader
            client.call(adapter.acknowledge(view, sequence: reader.uint64()))
            client.discardReceivedMessages()
        }
    }

    private static func costOfEmptyCall(on stage: BusStage) -> Double {
        cost(on: stage) { stage.client.call(stage.bareCall("Empty")) }
    }
}
