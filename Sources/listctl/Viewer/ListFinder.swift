// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A type that searches a list for a text.
@DBusActor
protocol ItemFinder {
    /// Returns the first hit of a query; nil when there is no hit, or the search was cancelled.
    ///
    /// - Parameter isWanted: returns `false` once the search is cancelled.
    func first(
        _ query: Search.Query, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Search.Hit?
}

/// A finder that lets listd search the fields of objects, and reads the items itself if listd finds nothing.
@DBusActor
struct ListFinder: ItemFinder {
    private let adapter: RemoteObject

    init(_ adapter: RemoteObject) { self.adapter = adapter }

    func first(
        _ query: Search.Query, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Search.Hit? {
        do throws(DBusError) {
            if let hit = try await findObject(query) { return hit }
            // listd does not search all visible text: an id, an array in a field, or text of a section controller.
            guard query.isThorough, isWanted() else { return nil }
        } catch {
            guard error.standard == .unknownMethod else { throw error }
        }
        return try await Search.first(query, in: adapter, while: isWanted)
    }

    /// Returns the first item of the first object in which listd finds the text.
    private func findObject(_ query: Search.Query) async throws(DBusError) -> Search.Hit? {
        let start = query.start?.section
        if query.isBackwards {
            let first = start.map { query.includesStart ? $0 : $0 - 1 } ?? .max
            if first >= 0, let hit = try await search(query.text, from: first, backwards: true) { return hit }
            guard let start else { return nil }
            return try await search(query.text, from: .max, backwards: true) { $0 >= start }
        }
        let first = start.map { query.includesStart ? $0 : $0 + 1 } ?? 0
        if let hit = try await search(query.text, from: first, backwards: false) { return hit }
        guard let start else { return nil }
        return try await search(query.text, from: 0, backwards: false) { $0 <= start }
    }

    private func search(
        _ text: String, from first: Int, backwards: Bool, where isWanted: (Int) -> Bool = { _ in true }
    ) async throws(DBusError) -> Search.Hit? {
        let result = try await AdapterClient(adapter).search(text, from: UInt32(clamping: first), backwards: backwards)
        guard let place = result.place, isWanted(Int(place.index)) else { return nil }
        return Search.Hit(
            objectID: place.objectID, position: Search.Position(section: Int(place.index), part: .item(0)))
    }
}

/// A queue that runs one search at a time, because listd allows one for each connection. Of the waiting searches, only
/// the newest is kept.
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
    /// Whether the running search was cancelled. The queue still awaits its calls, because listd is still executing
    /// them.
    private var isCancelled = false

    init(onOutcome: @escaping @DBusActor (Search.Query, Outcome) -> Void) { self.onOutcome = onOutcome }

    /// Starts a search, and cancels the previous one.
    func start(_ query: Search.Query, with finder: any ItemFinder) {
        next = (query, finder)
        isCancelled = isRunning
        run()
    }

    /// Cancels the search.
    func cancel() { (next, isCancelled) = (nil, isRunning) }

    private func run() {
        guard !isRunning, let (query, finder) = next else { return }
        (next, isRunning, isCancelled) = (nil, true, false)
        Task { @DBusActor in
            let outcome: Outcome
            do throws(DBusError) {
                outcome = .found(try await finder.first(query) { !isCancelled })
            } catch {
                outcome = .failed(error)
            }
            isRunning = false
            if !isCancelled { onOutcome(query, outcome) }
            run()
        }
    }
}
