// SPDX-License-Identifier: Apache-2.0

/// The global actor to which all uses of libdbus are isolated. Its executor is the event-loop thread.
///
/// libdbus locks its connections but not its messages, and releasing the last reference to a received message may
/// call back into the main loop. These rules are met because a single thread owns all libdbus objects.
@globalActor
public actor DBusActor {
    /// The shared instance behind `@DBusActor`.
    public static let shared = DBusActor()

    /// The executor of the event-loop thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe EventLoop.shared.asUnownedSerialExecutor() }

    /// Runs `body` isolated to this actor, for a caller that is known to run on the event-loop thread, such as a C
    /// callback.
    ///
    /// Traps when called on any other thread.
    public static func assumeIsolated<T, E: Error>(
        _ body: @DBusActor () throws(E) -> T
    ) throws(E) -> T {
        EventLoop.shared.checkIsolated()
        // The line above has checked the thread, so the isolation can be removed from the closure's type.
        return try withoutActuallyEscaping(body) { (escaping) throws(E) -> T in
            try unsafe unsafeBitCast(escaping, to: (() throws(E) -> T).self)()
        }
    }
}
