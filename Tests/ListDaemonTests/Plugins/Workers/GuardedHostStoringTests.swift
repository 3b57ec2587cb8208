@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListDaemon

@Suite("A guarded list that comes to be stored while it changes", .timeLimit(.minutes(2)))
struct GuardedHostStoringTests {
    private let commands = EventLog<AdapterCommand>()
    private let effects = EventLog<AdapterEffect>()

    private struct Unexpected: Error {}

    /// A guard of a list in memory, in a seat that the test speaks for.
    private func makeHost() -> GuardedHost {
        let host = GuardedHost(
            configuration: ListAdapter.Configuration(name: "x"),
            controllers: SectionControllerTable(naming: ["*": "listd/single"])
        ) { [effects] in $0.forEach { effects.record($0) } }
        host.move(
            to: Seat(
                number: 1, open: { _ in }, send: { [commands] command, _ in commands.record(command) },
                blame: { Issue.record("\($0)") }, close: {}))
        return host
    }

    /// What a host says that wants an object to be put behind another one.
    private func prepared(
        _ token: StoringToken, leadingTo revision: UInt64, placing id: String, after predecessor: String?
    ) throws -> HostOutput {
        let changes = PreparedTransaction.Changes(placed: [
            PreparedTransaction.Placement(object: try ListObject(id: id, fields: [:]), predecessor: predecessor)
        ])
        let transaction = PreparedTransaction(
            baseRevision: revision - 1, revision: revision, content: .changes(changes))
        return HostOutput(
            effects: [.prepared(token, PreparedUpdate(transaction: transaction, log: [], oldestRevision: 0))],
            preparedRequests: [])
    }

    private func applied(leadingTo revision: UInt64) -> HostOutput {
        let transaction = Transaction(
            baseRevision: revision - 1, revision: revision, kind: .reload, animated: false,
            sectionCount: Int(revision), itemCount: Int(revision))
        return HostOutput(effects: [.event(.updated(transaction))], preparedRequests: [])
    }

    private func nextPrepared() async throws -> (token: StoringToken, transaction: PreparedTransaction) {
        let effect = try await effects.next(timeout: .seconds(60)) { if case .prepared = $0 { true } else { false } }
        guard case .prepared(let token, let update) = effect else { throw Unexpected() }
        return (token, update.transaction)
    }

    private func nextStored() async throws -> StoringToken {
        let command = try await commands.next(timeout: .seconds(60)) { if case .stored = $0 { true } else { false } }
        guard case .stored(let token, nil) = command else { throw Unexpected() }
        return token
    }

    private func expectDone(_ id: RequestID) async throws {
        let effect = try await effects.next(timeout: .seconds(60)) { if case .answer = $0 { true } else { false } }
        guard case .answer(id, .success(.done)) = effect else { throw Unexpected() }
    }

    @Test("kept while the seat applies a change → the list is stored with it, and what comes meanwhile behind it")
    func keepsWhatIsThere() async throws {
        let host = makeHost()
        host.take(try prepared(11, leadingTo: 1, placing: "a", after: nil), from: 1)
        #expect(try await nextStored() == 11)
        host.send(.keep(1, true))
        host.take(applied(leadingTo: 1), from: 1)

        let whole = try await nextPrepared()
        guard case .replace(let objects) = whole.transaction.content else { throw Unexpected() }
        #expect(objects.map(\.id) == ["a"] && whole.transaction.revision == 1)

        host.take(try prepared(12, leadingTo: 2, placing: "b", after: "a"), from: 1)
        host.send(.stored(whole.token, nil))
        try await expectDone(1)
        let second = try await nextPrepared()
        #expect(second.transaction.baseRevision == 1 && second.transaction.revision == 2)
        host.send(.stored(second.token, nil))
        #expect(try await nextStored() == 12)
    }

    @Test("kept no more while a change is being stored → answered when that is applied; the next one is not stored")
    func keepsNoMore() async throws {
        let host = makeHost()
        host.send(.keep(1, true))
        host.send(.stored(try await nextPrepared().token, nil))
        try await expectDone(1)
        host.take(try prepared(11, leadingTo: 1, placing: "a", after: nil), from: 1)
        let first = try await nextPrepared()
        host.send(.keep(2, false))
        host.send(.stored(first.token, nil))
        #expect(try await nextStored() == 11)
        host.take(applied(leadingTo: 1), from: 1)
        try await expectDone(2)
        host.take(try prepared(12, leadingTo: 2, placing: "b", after: "a"), from: 1)
        #expect(try await nextStored() == 12)
    }

    @Test("the whole list cannot be stored → that is the answer; what waited behind it is applied without the store")
    func refused() async throws {
        let host = makeHost()
        host.send(.keep(1, true))
        let whole = try await nextPrepared()
        host.take(try prepared(11, leadingTo: 1, placing: "a", after: nil), from: 1)
        host.send(.stored(whole.token, ListError(.storeFailed, "full")))
        let answer = try await effects.next(timeout: .seconds(60)) { if case .answer = $0 { true } else { false } }
        guard case .answer(1, .failure(let error)) = answer else { throw Unexpected() }
        #expect(error.code == .storeFailed)
        #expect(try await nextStored() == 11)
    }

    @Test("the list ends while it is being stored for the first time → whoever asked for that is answered")
    func ends() async throws {
        let host = makeHost()
        host.send(.keep(1, true))
        _ = try await nextPrepared()
        host.send(.keep(2, false))
        host.send(.stop(3, .adapterRemoved))
        let asked = try await commands.next(timeout: .seconds(60)) { if case .stop = $0 { true } else { false } }
        #expect(asked.requestID == 3)
        host.take(HostOutput(effects: [.answer(3, .success(.done))], preparedRequests: []), from: 1)
        var answered: Set<RequestID> = []
        for _ in 0..<3 {
            let effect = try await effects.next(timeout: .seconds(60)) { if case .answer = $0 { true } else { false } }
            if case .answer(let id, _) = effect { answered.insert(id) }
        }
        #expect(answered == [1, 2, 3])
    }

    @Test("the worker dies while other options are being stored → the next one opens the list with them")
    func dyingWithOptions() async throws {
        let host = makeHost()
        host.send(.keep(1, true))
        host.send(.stored(try await nextPrepared().token, nil))
        try await expectDone(1)
        var other = ListAdapter.Configuration(name: "x")
        other.workingRange = 7
        host.send(.configure(2, other, SectionControllerTable(naming: ["*": "listd/binding"])))
        let transaction = PreparedTransaction(
            baseRevision: 0, revision: 1, content: .changes(PreparedTransaction.Changes()))
        let update = PreparedUpdate(transaction: transaction, log: [], oldestRevision: 0)
        host.take(HostOutput(effects: [.prepared(11, update)], preparedRequests: [2]), from: 1)
        let stored = try await nextPrepared()
        host.loseSeat()
        host.send(.stored(stored.token, nil))
        let setups = EventLog<HostSetup>()
        host.move(
            to: Seat(
                number: 2, open: { setups.record($0) }, send: { _, _ in }, blame: { Issue.record("\($0)") }, close: {}))
        let setup = try await setups.next(timeout: .seconds(60))
        #expect(setup.configuration.workingRange == 7 && setup.revision == 1)
        #expect(setup.controllers.option == ["*": "listd/binding"])
    }
}
