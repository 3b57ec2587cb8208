// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Death: the callbacks in which a worker died, and for whom they were called")
struct DeathTests {
    private let map: BreadcrumbMap
    private let slot: BreadcrumbSlot
    private let tracer: CallTracer
    private let executor = HostExecutor(label: "org.listd.test.cause")

    init() throws {
        map = try BreadcrumbMap()
        slot = try #require(map.slot(at: 7))
        tracer = CallTracer(slot)
        tracer.setExecutor(executor)
    }

    @Test(
        "a client's call reaches a plugin → the breadcrumb has user, request and the whole identifier; the daemon calls it → no user"
    )
    func written() async {
        await withCheckedContinuation { done in
            executor.post {
                let object = String(repeating: "é", count: 2048)
                tracer.run(for: 1000, request: 1 << 40) {
                    tracer.trace(.selection, controller: "p/C", object: object) {
                        #expect(slot.breadcrumb?.user == 1000 && slot.breadcrumb?.request == 1 << 40)
                        #expect(slot.breadcrumb?.controller == "p/C")
                        #expect(slot.breadcrumb?.object == object)
                        #expect(slot.breadcrumb?.isOfCaller == true)
                    }
                }
                tracer.trace(.update, controller: "p/C", object: "o") {
                    #expect(slot.breadcrumb?.user == nil && slot.breadcrumb?.isOfCaller == false)
                }
                tracer.trace(.move, controller: "p/C", object: "o") { #expect(slot.breadcrumb?.isOfCaller == true) }
                done.resume()
            }
        }
    }

    @Test(
        "a client's call sets a timer → it is called for the client's user; the list itself sets one → for no user"
    )
    func timers() async {
        let calls: [Breadcrumb?] = await withCheckedContinuation { done in
            executor.post {
                tracer.run(for: 1000, request: 5) {
                    tracer.trace(.selection, controller: "p/C", object: "o") {
                        tracer.perform(after: 0) {
                            let first = slot.breadcrumb
                            tracer.perform(after: 0) {
                                let second = slot.breadcrumb
                                executor.post {
                                    tracer.trace(.update, controller: "p/C", object: "o") {
                                        done.resume(returning: [first, second, slot.breadcrumb])
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(calls.map { $0?.user } == [1000, 1000, nil] && calls.allSatisfy { $0?.request == 0 })
    }

    @Test("a data source reads or writes → its text for logs names the source")
    func names() {
        for kind in [
            PluginCallback.sourceMake, .sourceStart, .sourceStop, .sourceTimer, .sourceDescriptor, .sourceWrite,
        ] {
            let call = Breadcrumb(kind: kind, controller: "p/S", object: "")
            #expect(call.description == "\(kind) of data source p/S")
        }
    }

    @Test(
        "a worker dies during one call → the cause is certain; several calls → it is uncertain; no call → there is none"
    )
    func deaths() {
        let own = Breadcrumb(kind: .update, controller: "c", object: "o")
        let other = Breadcrumb(kind: .selection, controller: "c", object: "o", user: 1, request: 1)
        let one = Death(reason: "", callbacks: [3: own])
        #expect(one.told(to: 3).callback == own && one.isCertain)
        #expect(one.told(to: 4).callback == nil && one.told(to: nil).callback == nil)
        let two = Death(reason: "", callbacks: [3: own, 4: other])
        #expect(two.told(to: 4).callback == other && !two.isCertain)
    }

    @Test("callbacks of objects, callers or sources were running → objects, a caller or nobody is to blame")
    func blame() {
        let object = Breadcrumb(kind: .update, controller: "c", object: "o")
        let caller = Breadcrumb(kind: .selection, controller: "c", object: "o", user: 1, request: 1)
        let source = Breadcrumb(kind: .sourceTimer, controller: "c", object: "o")
        let thread = Breadcrumb(kind: .timer, controller: "", object: "")
        func blame(_ calls: Breadcrumb..., isSentence: Bool = false) -> Death.Blame {
            let callbacks = Dictionary(uniqueKeysWithValues: calls.enumerated().map { ($0.offset, $0.element) })
            return Death(reason: "", callbacks: callbacks, isSentence: isSentence).blame
        }
        #expect(blame() == .nobody && blame(source) == .nobody && blame(thread) == .nobody)
        #expect(blame(object) == .object && blame(object, object) == .object && blame(object, source) == .nobody)
        #expect(blame(object, isSentence: true) == .nobody)
        #expect(blame(caller) == .caller && blame(object, caller, source) == .caller)
    }
}
