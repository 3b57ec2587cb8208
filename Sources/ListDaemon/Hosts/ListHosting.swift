// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
package import ListWorkers

/// The host of one list, as the bus objects see it.
///
/// Commands are values, which are handled in the order of sending. Effects are reported through the sink that the
/// host was made with.
package protocol ListHosting: AnyObject, Sendable {
    /// Sends a command; it is handled after all earlier commands.
    ///
    /// - Parameter user: the user on whose behalf the command is sent; nil = listd itself.
    func send(_ command: AdapterCommand, by user: UInt32?)

    /// Sends a command like ``send(_:by:)`` from the bus thread, which may handle it itself after it has read all
    /// pending messages.
    func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?)

    /// Reports changes of the objects to `observer`, on the host's executor and in order with the effects, from the
    /// next announced transaction on; nil ends the reports.
    func observeContent(with observer: ContentObserver?)

    /// Calls `answer` after all earlier work of the host: on the host's executor, or at once if no work is pending.
    func ping(_ answer: @escaping @Sendable () -> Void)
}

/// An observer of changes of a list's objects.
package typealias ContentObserver = @Sendable (Change) -> Void

extension ListHosting {
    /// Sends a command of listd itself.
    package func send(_ command: AdapterCommand) { send(command, by: nil) }

    /// Sends a command of listd itself from the bus thread.
    package func enqueueOnLoop(_ command: AdapterCommand) { enqueueOnLoop(command, by: nil) }

    package func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?) { send(command, by: user) }
}
