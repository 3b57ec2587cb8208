// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension ListError {
    /// The error for writing calls after listd was asked to stop, and for all calls after the list has stopped.
    static let ending = ListError(.shuttingDown, "listd is stopping and accepts no changes")
    /// The error for a reload that listd's stop interrupts.
    static let reloadGivenUp = ListError(.shuttingDown, "listd is stopping; the reload was cancelled")

    /// The error for requests that need a presenter when a list without one ends.
    static let unpresented = ListError(.pluginFailed, "the list was closed while its plugin had no worker")

    /// Returns the error for requests to a list that is being removed or has ended.
    ///
    /// - Parameter reason: why the list has ended; nil while it is being removed.
    static func gone(_ adapter: String, because reason: ViewClosing? = nil) -> ListError {
        reason == .shuttingDown ? ending : ListError(.noSuchAdapter, "adapter \(adapter.quoted) was removed")
    }
}
