internal import DBus
internal import Dispatch
internal import Foundation

/// Searches beside the lists: users take turns, and nothing of it runs on the bus thread or on a list's executor.
@DBusActor
final class SearchTurns {
    /// About how many objects are looked at in one turn.
    nonisolated static let objectsPerTurn = 4096

    /// Something to be done on a thread of its own; what it answers is done on the bus thread then.
    private typealias Work = @Sendable () -> @DBusActor @Sendable () -> Void

    /// Half of the machine is left to the lists.
    private let mostAtOnce = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    private let threads = DispatchQueue(label: "org.listd.search", qos: .utility, attributes: .concurrent)
    private var waiting = FairQueue<ObjectIdentifier, Work>(quantum: SearchTurns.objectsPerTurn)
    private var underWay = 0
    private var searching: Set<ObjectIdentifier> = []

    nonisolated init() {}

    /// Lets a peer begin a search; false while it has one.
    func begin(for peer: Peer) -> Bool { searching.insert(ObjectIdentifier(peer)).inserted }

    /// The search of a peer has ended.
    func end(for peer: Peer) { searching.remove(ObjectIdentifier(peer)) }

    /// Does a piece of a search when it is the user's turn.
    ///
    /// - Parameters:
    ///   - size: how many objects are looked at.
    ///   - look: called on a thread of its own.
    func perform<Finding: Sendable>(
        for peer: Peer, size: Int, _ look: @escaping @Sendable () -> Finding,
        completion: @escaping @DBusActor @Sendable (Finding) -> Void
    ) {
        let work: Work = {
            let finding = look()
            return { completion(finding) }
        }
        waiting.append(work, size: size, user: peer.pluginCaller, connection: ObjectIdentifier(peer))
        proceed()
    }

    private func proceed() {
        while underWay < mostAtOnce, let work = waiting.popFirst()?.element {
            underWay += 1
            threads.async {
                let finish = work()
                EventLoop.shared.post {
                    self.underWay -= 1
                    finish()
                    self.proceed()
                }
            }
        }
    }
}
