// SPDX-License-Identifier: Apache-2.0

/// The one actor to which all uses of libdbus are isolated; its executor is the event-loop thread.
///
/// libdbus connections lock themselves, messages do not, and releasing the last reference of a received message may
/// call back into the main loop. With one thread that owns all of it, every such rule holds by construction.
@globalActor
public actor DBusActor {
    /// The instance that `@DBusActor` stands for.
    public static let shared = DBusActor()

    /// The executor of the loop’s thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe EventLoop.shared.asUnownedSerialExecutor() }

    /// Runs `body` as code of this actor, where the caller is known to run on the event-loop thread (a C callback).
    ///
    /// Traps when called on any other thread.
    public static func assumeIsolated<T, E: Error>(
        _ body: @DBusActor () throws(E) -> T
    ) throws(E) -> T {
        EventLoop.shared.checkIsolated()
        // The thread was checked in the line above, so removing the isolation from the type is safe.
        return try withoutActuallyEscaping(body) { (escaping) throws(E) -> T in
            try unsafe unsafeBitCast(escaping, to: (() throws(E) -> T).self)()
        }
    }
}
