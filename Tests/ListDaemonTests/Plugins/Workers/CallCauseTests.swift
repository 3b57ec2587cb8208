// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("CallCause: the caller on whose behalf a plugin is called")
struct CallCauseTests {
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
        "a client's call reaches a plugin → the cause has user and request; the daemon calls it → the cause has no user"
    )
    func written() async {
        await withCheckedContinuation { done in
            executor.post {
                let object = String(repeating: "x", count: 1000)
                tracer.withCause(CallCause(user: 1000, request: 1 << 40)) {
                    tracer.trace(.selection, controller: "p/C", object: object) {
                        #expect(slot.breadcrumb?.cause == CallCause(user: 1000, request: 1 << 40))
                        #expect(slot.breadcrumb?.controller == "p/C")
                        #expect(slot.breadcrumb?.object.count == 152)
                        #expect(slot.breadcrumb?.isOfCaller == true)
                    }
                }
                tracer.trace(.update, controller: "p/C", object: "o") {
                    #expect(slot.breadcrumb?.cause == nil && slot.breadcrumb?.isOfCaller == false)
                }
                tracer.trace(.move, controller: "p/C", object: "o") { #expect(slot.breadcrumb?.isOfCaller == true) }
                done.resume()
            }
        }
    }

    @Test(
        "a client's call sets a timer → the timer's cause is the client's user; the list itself sets one → no user"
    )
    func timers() async {
        let causes: [CallCause?] = await withCheckedContinuation { done in
            executor.post {
                tracer.withCause(CallCause(user: 1000, request: 5)) {
                    tracer.trace(.selection, controller: "p/C", object: "o") {
                        tracer.perform(after: 0) {
                            let first = slot.breadcrumb?.cause
                            tracer.perform(after: 0) {
                                let second = slot.breadcrumb?.cause
                                executor.post {
                                    tracer.trace(.update, controller: "p/C", object: "o") {
                                        done.resume(returning: [first, second, slot.breadcrumb?.cause])
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(causes == [CallCause(user: 1000, request: 0), CallCause(user: 1000, request: 0), nil])
    }

    @Test("a data source reads or writes → the cause's text for logs names the source")
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
        let other = Breadcrumb(kind: .selection, controller: "c", object: "o", cause: CallCause(user: 1, request: 1))
        #expect(WorkerDeath(reason: "", calls: [3: own]).call(inSlot: 3) == DeadlyCall(call: own, isCertain: true))
        #expect(
            WorkerDeath(reason: "", calls: [3: own, 4: other]).call(inSlot: 4)
                == DeadlyCall(call: other, isCertain: false))
        #expect(WorkerDeath(reason: "", calls: [3: own]).call(inSlot: 4) == nil)
        #expect(WorkerDeath(reason: "", calls: [3: own]).call(inSlot: nil) == nil)
        #expect(!WorkerDeath(reason: "", calls: [3: own]).isOfCaller && !WorkerDeath(reason: "").isOfCaller)
        #expect(WorkerDeath(reason: "", calls: [3: own, 4: other]).isOfCaller)
    }
}
