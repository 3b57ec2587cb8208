// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

// Lists and their places: in the worker, or inside the daemon while the plugin has failed.

extension PluginWorker {
    /// Gives a list a place, from now on until it ends.
    func host(_ list: any PresentedList) {
        let key = ObjectIdentifier(list)
        lists[key] = list
        switch lifecycle.state {
        case .running: place(list)
        case .failed: list.presentLocally()
        case .idle, .starting, .pausing: break
        }
    }

    /// A list has ended, or is presented elsewhere.
    func leave(_ list: any PresentedList) {
        lists[ObjectIdentifier(list)] = nil
        crumbs[ObjectIdentifier(list)] = nil
    }

    /// Has a list presented in the present process.
    func place(_ list: any PresentedList) {
        guard let process else { return }
        let number = PresenterNumbers.next()
        let crumb = process.takeCrumb()
        crumbs[ObjectIdentifier(list)] = crumb
        process.place(list, at: number)
        let (name, times) = (name, list.times)
        let send: @Sendable (WorkerOrder) -> Void = { [weak process] order in
            times?.addOrder(toWorkerOf: name)
            do throws(ListError) {
                // Encoded on the executor of the list; the loop only passes it on.
                let packet = try WorkerPacket(order)
                EventLoop.shared.post { process?.send(packet) }
            } catch {
                EventLoop.shared.post { process?.kill(error.message) }
            }
        }
        send(.host(number, crumb: crumb))
        list.attach(
            HostSlot(
                number: number, send: { send(.present(number, $0, missing: $1, by: $2)) },
                blame: { reason in EventLoop.shared.post { [weak process] in process?.kill(reason) } },
                close: {
                    send(.close(number))
                    EventLoop.shared.post { [weak process] in
                        process?.vacate(number)
                        if let crumb { process?.giveBack(crumb) }
                    }
                }))
    }
}
