// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import ListWorkers

/// Runs one list: in this process, or where it may die and come back.
///
/// Commands are values, handled in the order in which they were sent; effects come out through the sink that the host was
/// made with.
package protocol ListHosting: AnyObject, Sendable {
    /// Hands over a command; it is handled after all that were sent before it.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func send(_ command: AdapterCommand, by user: UInt32?)

    /// Hands over a command like ``send(_:)``, from the bus thread, which may keep it until it has read what there is to
    /// be read, and then handle it itself.
    func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?)

    /// Has what becomes of the objects told, on the host's executor and in order with the effects, by transactions that are
    /// announced from now on; nil = no more.
    func follow(_ observer: ContentObserver?)

    /// Calls back as soon as the host has nothing older to do: from its executor, or at once.
    func ping(_ answer: @escaping @Sendable () -> Void)
}

/// Is told what becomes of the objects of a list.
package typealias ContentObserver = @Sendable (PreparedTransaction.Content) -> Void

extension ListHosting {
    /// Hands over a command of listd's own.
    package func send(_ command: AdapterCommand) { send(command, by: nil) }

    /// Hands over a command of listd's own, from the bus thread.
    package func enqueueOnLoop(_ command: AdapterCommand) { enqueueOnLoop(command, by: nil) }

    package func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?) { send(command, by: user) }
}
