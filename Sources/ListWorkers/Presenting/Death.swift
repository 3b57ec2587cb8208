// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The end of a worker's process: its reason, and the callbacks of the plugin that were running.
package struct Death: Sendable, Equatable {
    /// Who is to blame for a death.
    package enum Blame: Sendable, Equatable {
        /// A user's call may have caused it.
        case caller
        /// Each callback that was running was about an object of a list.
        case object
        case nobody
    }

    /// The reason, as text.
    package var reason: String
    /// The callbacks that were running, by the slots of their breadcrumbs; of a worker that hung, the hanging one only.
    package var callbacks: [Int: Breadcrumb] = [:]
    /// Whether listd killed the worker, because a callback did not return in time.
    package var isHang = false
    /// Whether listd killed the worker for something else. Then the callbacks were running by chance.
    package var isSentence = false
    /// The callback that was running for the list or data source that is told of the death; nil = none was.
    package private(set) var callback: Breadcrumb?

    package init(
        reason: String, callbacks: [Int: Breadcrumb] = [:], isHang: Bool = false, isSentence: Bool = false
    ) {
        (self.reason, self.callbacks) = (reason, callbacks)
        (self.isHang, self.isSentence) = (isHang, isSentence)
    }

    /// Returns the death as the list or data source with a slot for breadcrumbs is told of it.
    package func told(to slot: Int?) -> Death {
        var told = self
        told.callback = slot.flatMap { callbacks[$0] }
        return told
    }

    /// Whether only one callback was running, which has thus caused the death.
    package var isCertain: Bool { callbacks.count == 1 }

    package var blame: Blame {
        if callbacks.values.contains(where: \.isOfCaller) { return .caller }
        return !isSentence && !callbacks.isEmpty && callbacks.values.allSatisfy(\.isAboutObject) ? .object : .nobody
    }

    /// The callback of the list or data source that is told of the death, for messages.
    var place: String {
        (callback?.description ?? "") + (isHang ? ", which did not return in time (CallbackTimeout)" : "")
    }

    /// The users on whose behalf callbacks were running, as the end of a message; empty if there are none.
    var callers: String {
        let users = Set(callbacks.values.compactMap(\.user)).sorted().map(String.init)
        return users.isEmpty ? "" : "; called for user \(users.joined(separator: ", "))"
    }
}

// MARK: - Objects

/// The objects of a list in whose callbacks workers died.
///
/// An object is fatal from the first death in a caller's call on, and from the second death of any other kind, until it
/// is changed, removed or reloaded, or the list gets other section controllers. Calls that name a fatal object are
/// refused. If its contents were asked, the next worker shows an error item for it, without calling its section controller.
package struct FatalObjects: Sendable {
    private struct SuspectObject: Sendable {
        let object: ExactText
        let controller: String
        /// The callback in which a worker died, for messages.
        let place: String
        var isFatal: Bool
        var isAtFault: Bool

        /// What happened, for error items.
        var reason: String { "the plugin's worker died in \(place)" }
    }

    /// The maximum number of objects. Beyond it, the one whose last death is the longest ago is forgotten.
    static let mostObjects = 256

    /// The objects, in the order of their last deaths.
    private var suspects: [SuspectObject] = []

    package init() {}

    /// Records the death of a worker in a callback of an object.
    ///
    /// - Parameter isOfCaller: whether a caller's call is known to be the cause.
    /// - Returns: the fault, if the object is at fault from this death on.
    mutating func record(_ death: Death, isOfCaller: Bool) -> SectionFault? {
        guard let callback = death.callback, callback.isAboutObject, isOfCaller || !death.isSentence else { return nil }
        let object = ExactText(callback.object)
        let known = suspects.firstIndex { $0.object == object }
        // If several callbacks were running, the object is the cause when its callback is running at the next death, too.
        let isRepeated = known.map { death.isCertain || $0 == suspects.count - 1 } ?? false
        let old = known.map { suspects.remove(at: $0) }
        let isFatal = old?.isFatal == true || isOfCaller || isRepeated
        let isAtFault = old?.isAtFault == true || isFatal && (isRepeated || callback.kind.asksContents)
        if suspects.count == Self.mostObjects { suspects.removeFirst() }
        let new = SuspectObject(
            object: object, controller: callback.controller, place: death.place, isFatal: isFatal, isAtFault: isAtFault)
        suspects.append(new)
        guard isAtFault, old?.isAtFault != true else { return nil }
        return SectionFault(objectID: callback.object, controller: callback.controller, reason: new.reason)
    }

    /// The objects at fault, with the reasons that their error items show.
    package var faults: [ExactText: String] {
        Dictionary(suspects.filter(\.isAtFault).map { ($0.object, $0.reason) }) { $1 }
    }

    /// The fatal objects.
    package var objects: [String] { suspects.filter(\.isFatal).map(\.object.text) }

    /// Returns the error for a command of a view that names a fatal object; nil = it names none.
    func refusal(of command: ViewCommand) -> ListError? {
        guard !suspects.isEmpty else { return nil }
        switch command {
        case .select(let id, _, _), .setHighlighted(let id, _, _), .invoke(let id, _, _, _):
            let named = ExactText(id)
            return refusal { $0 == named }
        case .changeSelection(let select, let deselect):
            let named = Set((select + deselect).map { ExactText($0.objectID) })
            return refusal { named.contains($0) }
        case .setViewport, .setVisibleRange, .scrollTo, .reportScroll, .reportSizes, .acknowledge, .resync, .close,
            .setOnScreen:
            return nil
        }
    }

    /// Returns the error for the move of an item of a fatal object; nil = the object is not fatal.
    ///
    /// - Parameter position: finds the section of an object.
    func refusal(ofMoveFrom section: Int, position: (String) -> Int?) -> ListError? {
        refusal { position($0.text) == section }
    }

    private func refusal(where isNamed: (ExactText) -> Bool) -> ListError? {
        guard let suspect = suspects.first(where: { $0.isFatal && isNamed($0.object) }) else { return nil }
        return ListError(
            .pluginFailed,
            "\(suspect.reason); calls that name the object are refused until it or the plugin changes")
    }

    /// Forgets the objects that an update changes, removes or reloads; all of them if it replaces the section controllers.
    package mutating func listWillChange(by change: Change, in table: SectionTable) {
        guard !suspects.isEmpty else { return }
        if change.scope.contains(.controllers) { return removeAll() }
        let changed = Set(change.updated.map(\.old) + change.removed.map(\.old))
        suspects.removeAll { suspect in
            guard let index = table.index(ofID: suspect.object.text, .old) else { return true }
            return changed.contains(index) || change.reloads.contains { $0.range.contains(index) }
        }
    }

    /// Forgets all objects, as the plugin was loaded again or in another version.
    package mutating func removeAll() { suspects = [] }
}

// MARK: - Callers

/// The back-off of users whose calls have killed workers of a plugin.
///
/// It has no side effects: given the user and the time of each death, it returns how long a user has to wait. Here, a
/// death of a user is the death of a worker in a call of that user. The first one has no consequence, so that a user
/// who meets one fault of a plugin can continue. Each further death doubles the time in which the plugin is not called
/// for that user. So the calls of one user kill the worker at most once a minute, which limits the disturbance of other
/// users' lists.
package struct CallerBackOff: Sendable, Equatable {
    private struct Record: Sendable, Equatable {
        var deaths: Int
        var last: ContinuousClock.Instant
    }

    /// The waiting time of a user after the second death.
    package static let firstWait = Duration.seconds(1)
    /// The maximum waiting time.
    package static let longestWait = Duration.seconds(60)
    /// The time without a further death after which all deaths of a user are forgotten.
    package static let memory = Duration.seconds(600)
    /// The maximum number of recorded users. Beyond it, the user whose last death is the longest ago is forgotten.
    package static let mostUsers = 1024

    private var records: [UInt32: Record] = [:]

    /// Makes a back-off without recorded deaths.
    package init() {}

    /// Records that a worker has died of a user's call.
    ///
    /// - Complexity: O(``mostUsers``).
    package mutating func recordDeath(by user: UInt32, at now: ContinuousClock.Instant) {
        records = records.filter { $0.value.last + Self.memory > now }
        let deaths = records[user]?.deaths ?? 0
        if deaths == 0, records.count >= Self.mostUsers,
            let oldest = records.min(by: { $0.value.last < $1.value.last })?.key
        {
            records[oldest] = nil
        }
        records[user] = Record(deaths: deaths + 1, last: now)
    }

    /// Returns a user's remaining waiting time and number of deaths; nil = the user does not have to wait.
    package func remainingWait(of user: UInt32, at now: ContinuousClock.Instant) -> (time: Duration, deaths: Int)? {
        guard let record = records[user], record.deaths > 1 else { return nil }
        // The exponent is bounded; the wait reaches its limit long before.
        let wait = min(Self.firstWait * (1 << min(record.deaths - 2, 16)), Self.longestWait)
        let end = record.last + wait
        return end > now ? (now.duration(to: end), record.deaths) : nil
    }

    /// Ends all waits, as the plugin was loaded again or in another version.
    package mutating func removeAll() { records = [:] }
}
