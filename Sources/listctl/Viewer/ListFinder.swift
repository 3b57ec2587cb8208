// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Searches a list for a text.
@DBusActor
protocol ItemFinder {
    /// The first hit of a query; nil when there is none, or the search was cancelled.
    func first(
        _ query: Search.Query, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Search.Hit?
}

/// Lets listd search the fields of the objects, and reads items where that is not enough.
@DBusActor
struct ListFinder: ItemFinder {
    private let adapter: RemoteObject

    init(_ adapter: RemoteObject) { self.adapter = adapter }

    func first(
        _ query: Search.Query, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Search.Hit? {
        do throws(DBusError) {
            if let hit = try await object(query) { return hit }
            // Visible text may be elsewhere: in an id, in a list inside a field, or made by a controller.
            guard query.isThorough, isWanted() else { return nil }
        } catch {
            guard error.standard == .unknownMethod else { throw error }
        }
        return try await Search.first(query, in: adapter, while: isWanted)
    }

    /// The object with the text; its first item stands for it.
    private func object(_ query: Search.Query) async throws(DBusError) -> Search.Hit? {
        let start = query.start?.section
        if query.isBackwards {
            let first = start.map { query.includesStart ? $0 : $0 - 1 } ?? .max
            if first >= 0, let hit = try await ask(query.text, from: first, backwards: true) { return hit }
            guard let start else { return nil }
            return try await ask(query.text, from: .max, backwards: true) { $0 >= start }
        }
        let first = start.map { query.includesStart ? $0 : $0 + 1 } ?? 0
        if let hit = try await ask(query.text, from: first, backwards: false) { return hit }
        guard let start else { return nil }
        return try await ask(query.text, from: 0, backwards: false) { $0 <= start }
    }

    private func ask(
        _ text: String, from first: Int, backwards: Bool, where isWanted: (Int) -> Bool = { _ in true }
    ) async throws(DBusError) -> Search.Hit? {
        let result = try await AdapterClient(adapter).search(text, from: UInt32(clamping: first), backwards: backwards)
        guard let place = result.place, isWanted(Int(place.index)) else { return nil }
        return Search.Hit(
            objectID: place.objectID, position: Search.Position(section: Int(place.index), part: .item(0)))
    }
}

/// Runs one search at a time, as listd allows one for each connection; of waiting searches only the newest is kept.
@DBusActor
final class SearchQueue {
    /// The result of a search.
    enum Outcome {
        case found(Search.Hit?)
        case failed(DBusError)
    }

    private let onOutcome: @DBusActor (Search.Query, Outcome) -> Void
    private var next: (query: Search.Query, finder: any ItemFinder)?
    private var isRunning = false
    /// Whether the running search was cancelled. Its calls are awaited nevertheless, as listd still works on them.
    private var isGivenUp = false

    init(onOutcome: @escaping @DBusActor (Search.Query, Outcome) -> Void) { self.onOutcome = onOutcome }

    /// Starts a search in place of the former one.
    func start(_ query: Search.Query, with finder: any ItemFinder) {
        next = (query, finder)
        isGivenUp = isRunning
        run()
    }

    /// Cancels the search.
    func cancel() { (next, isGivenUp) = (nil, isRunning) }

    private func run() {
        guard !isRunning, let (query, finder) = next else { return }
        (next, isRunning, isGivenUp) = (nil, true, false)
        Task { @DBusActor in
            let outcome: Outcome
            do throws(DBusError) {
                outcome = .found(try await finder.first(query) { !isGivenUp })
            } catch {
                outcome = .failed(error)
            }
            isRunning = false
            if !isGivenUp { onOutcome(query, outcome) }
            run()
        }
    }
}
