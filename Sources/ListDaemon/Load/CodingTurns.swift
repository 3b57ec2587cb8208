internal import DBus
internal import Dispatch

/// Turns messages into values, and values into messages, on other threads than the event loop's: what is large, by whose
/// length a caller would stop everybody else.
///
/// Users take turns by bytes, and have one piece of work under way at a time.
@DBusActor
final class CodingTurns {
    /// The bytes of a turn.
    private static let quantum = 64 << 10
    /// How many pieces of work are under way together.
    private static let underWayAtOnce = 2

    /// Runs on another thread, and answers what the event loop's does with the outcome.
    private typealias Work = @Sendable () -> @DBusActor @Sendable () -> Void

    private var queue = FairQueue<ObjectIdentifier, Work>(quantum: quantum)
    private var underWay = 0

    init() {}

    /// Has something done that takes as long as so many bytes take.
    ///
    /// - Parameters:
    ///   - run: called once, on another thread.
    ///   - finish: called behind it, on the event loop's.
    func perform<Output: Sendable>(
        for peer: Peer, size: Int, _ run: @escaping @Sendable () -> Output,
        finish: @escaping @DBusActor @Sendable (Output) -> Void
    ) {
        let work: Work = {
            let output = run()
            return { finish(output) }
        }
        queue.append(work, size: size, user: peer.account, connection: ObjectIdentifier(peer))
        proceed()
    }

    private func proceed() {
        while underWay < Self.underWayAtOnce, let piece = queue.popFirst() {
            underWay += 1
            queue.hold(piece.user)
            DispatchQueue.global().async {
                let finish = piece.element()
                EventLoop.shared.post { self.finished(piece.user, finish) }
            }
        }
    }

    private func finished(_ user: UInt32, _ finish: @DBusActor () -> Void) {
        underWay -= 1
        queue.release(user)
        proceed()
        finish()
    }
}

extension Service {
    /// Reads the arguments of a call and goes on with it: at once, or if they are long on another thread, while the calls
    /// behind it on its connection wait.
    ///
    /// - Parameter proceed: what it throws is the answer.
    func decode<Arguments: Sendable>(
        _ call: Call, _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> Arguments,
        then proceed: @escaping @DBusActor @Sendable (Arguments) throws -> Void
    ) throws {
        let size = call.message.bodyLength
        guard size > ContentReads.largestAtOnce else { return try proceed(call.message.read(read)) }
        let body = try call.detachBody()
        call.onFailure = nil  // it cannot be handled from the beginning again
        admission.hold(call.peer)
        coding.perform(for: call.peer, size: size) {
            Result { () throws(DBusError) in try body.read(read) }
        } finish: { [admission] outcome in
            defer { admission.release(call.peer) }
            guard !call.peer.hasDeparted || call.message.noReplyExpected else { return call.abandon() }
            do { try proceed(outcome.get()) } catch { call.fail(error) }
        }
    }
}
