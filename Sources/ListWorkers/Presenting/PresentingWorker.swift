// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// A list from its worker's point of view. The worker attaches it to a process and passes it the reports.
package protocol PresentedList: AnyObject, Sendable {
    /// The counters of callbacks, and of the messages between the list and its worker; nil = they are not counted.
    var times: CallbackTimes? { get }

    /// Presents the list in a worker from now on.
    @DBusActor
    func attach(_ slot: HostSlot)

    /// Presents the list in the daemon from now on.
    @DBusActor
    func presentLocally()

    /// Detaches the list from its presenter, whose worker has ended.
    @DBusActor
    func losePresenter(by death: Death)

    /// Forgets the objects in whose callbacks workers have died.
    ///
    /// - Parameter reloads: whether the list is to show them now; otherwise its next opening does.
    @DBusActor
    func forgetFatalObjects(reloads: Bool)

    /// Handles the reports of a presenter; may be called on any thread. A light report from the loop is handled at once.
    func report(_ reports: [PresenterReport], from number: PresenterNumber, isLight: Bool)
}

/// The worker of one plugin from its lists' point of view. It presents lists, and records the users whose calls it
/// refuses.
package protocol PresentingWorker: AnyObject, Sendable {
    /// The name of the plugin.
    var name: String { get }

    /// Returns how long a user's calls are still refused, because workers died of earlier ones, and the number of
    /// deaths; nil = the user's calls are not refused.
    func remainingWait(of user: UInt32) -> (time: Duration, deaths: Int)?

    /// Records that a worker has died of a user's call.
    func recordDeath(by user: UInt32)

    /// Presents a list in the worker, until ``stopHosting(_:)``.
    @DBusActor
    func host(_ list: any PresentedList)

    /// Forgets a list that has ended, or is presented elsewhere.
    @DBusActor
    func stopHosting(_ list: any PresentedList)
}

extension PresentingWorker {
    /// Returns the error with which a user's calls are refused, because workers died of earlier ones; nil = they are not.
    func refusal(of user: UInt32, _ code: ListError.Code) -> ListError? {
        guard let wait = remainingWait(of: user) else { return nil }
        return ListError(
            code,
            "the worker of plugin \(name) died \(wait.deaths) times in calls of user \(user), whose calls are refused "
                + "for another \(UInt64(wait.time / .milliseconds(1)) + 1) ms")
    }
}
