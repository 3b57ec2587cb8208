// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

/// A list with a host that does not store objects and runs all work immediately.
final class TestHost {
    let adapter: ListAdapter
    /// All events of the list, in order.
    private(set) var events: [AdapterEvent] = []
    /// All answers to requests, in order.
    private(set) var answers: [RequestAnswer] = []
    private var nextID: RequestID = 1
    var now: UInt64 = 0

    init(
        _ objects: [ListObject] = [], names: [String: String] = [:],
        provider: (any ListSectionControllerProvider)? = nil,
        configure: (inout ListOptions) -> Void = { _ in }
    ) {
        var configuration = ListOptions(name: "test")
        // Large updates of tests are batches, as in listd.
        configuration.reloadThreshold = 0
        configure(&configuration)
        adapter = ListAdapter(
            configuration: configuration, controllers: provider ?? BuiltInSectionControllerProvider(names: names),
            objects: objects)
    }

    /// Queues a request.
    @discardableResult
    func enqueue(
        _ operation: UpdateRequest.Operation, expecting revision: UInt64 = 0, animated: Bool = true
    ) -> RequestID {
        defer { nextID += 1 }
        adapter.enqueue(
            UpdateRequest(id: nextID, expectedRevision: revision, animated: animated, operation: operation), now: now)
        return nextID
    }

    /// Flushes until no request is queued, and returns the last result.
    @discardableResult
    func flush() -> FlushResult {
        let results = adapter.flushNow(now: now)
        for result in results { receive(result) }
        return results.last ?? FlushResult()
    }

    /// Queues a request, flushes, and returns the answer.
    @discardableResult
    func perform(
        _ operation: UpdateRequest.Operation, expecting revision: UInt64 = 0, animated: Bool = true
    ) throws -> RequestAnswer {
        let id = enqueue(operation, expecting: revision, animated: animated)
        flush()
        return try #require(answers.last { $0.id == id })
    }

    /// Replaces the whole list.
    @discardableResult
    func update(_ objects: [ListObject], animated: Bool = true) throws -> FlushResult {
        enqueue(.performUpdates(objects: objects), animated: animated)
        return flush()
    }

    func receive(_ result: FlushResult) {
        events += result.events
        answers += result.answers
    }

    func receive(_ reply: ViewReply) { events += reply.effects }
    func receive(_ more: [AdapterEvent]) { events += more }

    /// Returns the events since the last call.
    func takeEvents() -> [AdapterEvent] {
        defer { events = [] }
        return events
    }

    var ids: [String] { adapter.objects(from: 0, limit: .max).map(\.id) }
    var itemCounts: [Int] { (0..<adapter.objectCount).map { adapter.itemCount(inSection: $0) ?? -1 } }
}

extension RequestAnswer {
    /// The revision of a successful request; `nil` after an error.
    var revision: UInt64? { try? outcome.get() }
    var errorCode: ListError.Code? {
        if case .failure(let error) = outcome { error.code } else { nil }
    }
}

/// Creates objects from names: `a1` is the object `a` with the field `n` = 1.
func objects(_ names: String...) throws -> [ListObject] { try objects(names) }

func objects(_ names: [String]) throws -> [ListObject] { try names.map { try object($0) } }

/// Creates an object from a name, whose letters are the identifier and whose digits are the content.
func object(_ name: String, type: String = "", height: Double? = nil) throws -> ListObject {
    let id = name.prefix { !$0.isNumber }
    var fields: Fields = [:]
    if let number = Int64(name.dropFirst(id.count)) { fields["n"] = .int64(number) }
    if let height { fields["height"] = .double(height) }
    return try ListObject(id: String(id), type: type, fields: fields)
}
