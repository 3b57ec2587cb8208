// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// A list as its worker knows it: whom to tell where it is presented, and what is reported of it.
package protocol PresentedList: AnyObject, Sendable {
    /// Counts what is reported between the list and its worker; nil = nobody counts.
    var times: CallbackTimes? { get }

    /// Has the list presented in a worker from now on.
    func attach(_ slot: HostSlot)

    /// Has the list presented in the daemon from now on.
    func presentLocally()

    /// The presenter is gone, with its worker.
    ///
    /// - Parameter call: what was being called for the list; nil = nothing.
    func losePresenter(in call: DeadlyCall?)

    /// What was refused because workers died of it may be asked again.
    func forgetRefusals()

    /// Handles what a presenter reports; something little from the bus thread is handled there.
    func report(_ output: PresenterOutput, from number: PresenterNumber, isLight: Bool)
}

extension PresentedList {
    /// The presenter is gone; nothing was being called for the list.
    package func losePresenter() { losePresenter(in: nil) }

    /// Handles what a presenter reports, on the executor of the list.
    package func report(_ output: PresenterOutput, from number: PresenterNumber) {
        report(output, from: number, isLight: false)
    }
}

/// The worker of one plugin as its lists know it: which presenters run in it, and which users' calls it does not get.
package protocol PresentingWorker: AnyObject, Sendable {
    /// The name of the plugin.
    var name: String { get }

    /// How long a user has to wait, because workers died of its calls; nil = it has not.
    func wait(of user: UInt32) -> (time: Duration, deaths: Int)?

    /// Records that a worker has died of a user's call.
    func recordDeath(by user: UInt32)

    /// Gives a list a place, from now on until it ends.
    @DBusActor
    func host(_ list: any PresentedList)

    /// A list has ended, or is presented elsewhere.
    @DBusActor
    func leave(_ list: any PresentedList)
}
