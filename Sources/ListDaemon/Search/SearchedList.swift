// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

/// A list as a search sees it: its objects in pages, its changes, and its access rules.
@DBusActor
protocol SearchedList: AnyObject {
    /// The current access rules.
    var access: AdapterAccess { get }

    /// Throws if the caller may not read the list.
    func checkReadingAccess(_ call: Call) throws(ListError)

    /// Sends a query to the list on behalf of a user. The answer may take long.
    func ask(
        _ query: AdapterQuery, by user: UInt32,
        _ completion: @escaping @DBusActor (Result<AdapterAnswer, ListError>) -> Void)
}
