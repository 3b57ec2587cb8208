// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension ListError {
    /// What writing calls get once the end was asked for, and all calls when nobody is there any more.
    static let ending = ListError(.shuttingDown, "listd is ending and takes no changes")
    /// Why a new configuration does not hold.
    static let reloadGivenUp = ListError(.shuttingDown, "listd is ending; the reload was given up")

    /// What only a presenter could do when a list ends that has none.
    static let unpresented = ListError(.pluginFailed, "the list has ended while its plugin's worker was gone")

    /// What is asked of a list that is taken away, or has ended.
    ///
    /// - Parameter reason: why it has ended; nil = another host goes on with it.
    static func gone(_ adapter: String, because reason: ViewClosing? = nil) -> ListError {
        reason == .shuttingDown ? ending : ListError(.noSuchAdapter, "adapter \(adapter.quoted) is gone")
    }
}
