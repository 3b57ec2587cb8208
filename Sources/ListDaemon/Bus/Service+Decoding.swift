// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension Service {
    /// Reads the arguments of a call and goes on with it: at once, or if they are long on another thread, while the calls
    /// behind it on its connection wait.
    ///
    /// - Parameter proceed: what it throws is the answer.
    func decode<Decoded: Sendable>(
        _ call: Call, _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> Decoded,
        then proceed: @escaping @DBusActor @Sendable (Decoded) throws -> Void
    ) throws {
        let size = call.message.bodyLength
        guard size > ContentReads.largestAtOnce else { return try proceed(call.message.read(read)) }
        let body = try call.detachBody()
        call.onFailure(nil)  // it cannot be handled from the beginning again
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
