// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The curves of the engine alone, in this process.
enum EngineCurves {
    private static let counts = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]

    /// Returns the CPU time of the engine's work by the size of the list.
    static func times(upTo largest: Int) -> Curve {
        var curve = Curve("engine", "The engine: CPU time", sizes: "objects")
        for count in counts where count <= largest {
            addDiff(of: count, to: &curve)
            let list = CurveList(count)
            for (name, work) in [("one object changes", list.changeObject), ("a screen is scrolled", list.scroll)] {
                curve.addPoint(
                    to: name, size: count,
                    value: CurveClock.median(ofAtMost: 11) {
                        CurveClock.cpuTime { (0..<200).reduce(0) { sum, _ in sum &+ work() } }
                    } / 200)
            }
        }
        return curve
    }

    private static func addDiff(of count: Int, to curve: inout Curve) {
        let lists = Lists.churn(count: count, deletes: count / 100, inserts: count / 100, shuffled: 0)
        let (old, new) = (Lists.objects(lists.old), Lists.objects(lists.new))
        // Short work is repeated more often, because the clock counts microseconds.
        let times = max(1, 10_000 / count)
        let diff = CurveClock.median(ofAtMost: 11) {
            CurveClock.cpuTime { (0..<times).reduce(0) { sum, _ in sum &+ ListDiff.between(old, new).changeCount } }
        }
        curve.addPoint(to: "diff, 1 % deleted, 1 % new", size: count, value: diff / Double(times))
        let ids = Lists.identifiers(lists.old)
        let pass = CurveClock.median(ofAtMost: 11) {
            CurveClock.cpuTime {
                (0..<times).reduce(0) { sum, _ in
                    ids.reduce(sum) { result, id in
                        var hasher = Hasher()
                        hasher.combine(id)
                        return result ^ hasher.finalize()
                    }
                }
            }
        }
        curve.addPoint(to: "hashing the old ids once", size: count, value: pass / Double(times))
    }

    /// Returns the resident memory of a list and the size of its raw bytes, by the size of the list. Each size is
    /// measured in a process of its own.
    static func memory(upTo largest: Int) -> Curve {
        var curve = Curve(
            "memory", "The engine: memory of a list with a view", sizes: "objects of 116 bytes", unit: .mebibytes)
        for count in counts where count <= largest {
            let (resident, raw) = Resident.measure("adapter", count: count)
            curve.addPoint(to: "resident", size: count, value: max(resident, 1) / 1_048_576)
            curve.addPoint(to: "ids and fields alone", size: count, value: raw / 1_048_576)
        }
        return curve
    }
}

/// A list with one view of twenty rows.
private final class CurveList {
    private let adapter: ListAdapter
    private let count: Int
    private var step = 0

    init(_ count: Int) {
        self.count = count
        adapter = ListAdapter(
            configuration: Lists.configuration, controllers: BuiltInSectionControllerProvider(),
            objects: Lists.objects(Array(0..<count)))
        do throws(ListError) {
            try adapter.openView(1)
        } catch {
            fatalError("no view: \(error)")
        }
        _ = scroll()
    }

    /// Changes the value of an object somewhere in the list, and updates the list.
    func changeObject() -> Int {
        step += 1
        let id = Lists.identifier((step &* 7919) % count)
        let operation = UpdateRequest.Operation.patchObject(id: id, set: ["value": .int64(Int64(step))], unset: [])
        adapter.enqueue(UpdateRequest(id: 1, operation: operation), now: 0)
        guard adapter.flushNow().last?.transaction != nil else { fatalError("the update changed nothing") }
        return step
    }

    /// Scrolls the view to twenty other rows.
    func scroll() -> Int {
        step += 1
        let screens = max(1, count * 44 / 880)
        let rect = Rect(x: 0, y: Double(step % screens) * 880, width: 390, height: 880)
        do throws(ListError) {
            let reply = try adapter.setViewport(view: 1, seen: 0, rect: rect)
            return try reply.effects.count + adapter.acknowledge(view: 1, sequence: reply.sequence).count
        } catch {
            fatalError("no viewport: \(error)")
        }
    }
}
