// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListWorkers

/// A list as a search sees it: pages of objects, changes, and who may read it.
@DBusActor
protocol SearchedList: AnyObject {
    /// The rules of access now.
    var access: AdapterAccess { get }

    /// Refuses a caller that may not read the list.
    func checkReadingAccess(_ call: Call) throws(ListError)

    /// Asks the list something on behalf of a user; it may take long.
    func ask(
        _ query: AdapterQuery, by user: UInt32,
        _ completion: @escaping @DBusActor (Result<AdapterAnswer, ListError>) -> Void)
}
