@_spi(Daemon) internal import ListKit

/// The writing requests of one list in strict order of arrival, on their way to the engine.
///
/// The engine gets as many at once as it may coalesce. When a flush of several was refused as a whole (a quota), its
/// requests are given again one by one, so that each is judged by itself and those that shrink the list go through; what
/// came later waits behind them.
struct RequestLine {
    /// With the engine, not answered yet.
    private var given: [UpdateRequest] = []
    /// To be given again, each by itself.
    private var retries: [UpdateRequest] = []
    /// Not given yet.
    private var waiting: [UpdateRequest] = []

    /// Whether the request with the engine is one that was refused together with others.
    private(set) var isRetrying = false

    /// Takes a request in.
    mutating func add(_ request: UpdateRequest) { waiting.append(request) }

    /// What the engine, which is between two flushes, is given now.
    mutating func next() -> [UpdateRequest] {
        if !retries.isEmpty {
            guard given.isEmpty else { return [] }
            isRetrying = true
            given = [retries.removeFirst()]
            return given
        }
        if given.isEmpty { isRetrying = false }
        guard !isRetrying, !waiting.isEmpty else { return [] }
        var count = 0
        while count < waiting.count, mayJoin(waiting[count], after: count) { count += 1 }
        let next = Array(waiting[..<count])
        waiting.removeFirst(count)
        given += next
        return next
    }

    /// Requests that stand alone share a flush with no other.
    private func mayJoin(_ request: UpdateRequest, after count: Int) -> Bool {
        if given.isEmpty, count == 0 { return true }
        let before = count > 0 ? waiting[count - 1] : given[given.count - 1]
        return !request.requiresOwnTransaction && !before.requiresOwnTransaction
    }

    /// Takes requests out that the engine has answered.
    mutating func answered(_ ids: [RequestID]) {
        if ids.count == given.count { return given.removeAll(keepingCapacity: true) }
        let ids = Set(ids)
        given.removeAll { ids.contains($0.id) }
    }

    /// Whether requests that were refused together are worth being tried one by one; if so, they are next.
    mutating func retryOneByOne(_ ids: [RequestID]) -> Bool {
        guard ids.count > 1 else { return false }
        let ids = Set(ids)
        retries = given.filter { ids.contains($0.id) } + retries
        given.removeAll { ids.contains($0.id) }
        return true
    }

    /// The requests with the engine: between preparing a flush and its end, those that it answers.
    var givenIDs: [RequestID] { given.map(\.id) }

    /// Whether flushing all of them takes microseconds.
    var isLight: Bool { given.allSatisfy(\.isLight) && retries.allSatisfy(\.isLight) && waiting.allSatisfy(\.isLight) }

    /// Whether nobody waits for an answer.
    var isEmpty: Bool { given.isEmpty && retries.isEmpty && waiting.isEmpty }
}
