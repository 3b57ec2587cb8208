internal import DBus
internal import ListKit

// Lists and their places: in the worker, or inside the daemon while the plugin has failed.

extension PluginWorker {
    /// Gives a list a place, from now on until it ends.
    func host(_ list: GuardedHost) {
        let key = ObjectIdentifier(list)
        lists[key] = list
        switch lifecycle.state {
        case .running: seat(list)
        case .failed: list.move(to: .inDaemon(list))
        case .idle, .starting, .pausing: break
        }
    }

    /// A list has ended.
    func leave(_ list: GuardedHost) {
        lists[ObjectIdentifier(list)] = nil
        crumbs[ObjectIdentifier(list)] = nil
    }

    func seat(_ list: GuardedHost) {
        guard let process else { return }
        let number = Seat.nextNumber()
        let crumb = process.takeCrumb()
        crumbs[ObjectIdentifier(list)] = crumb
        process.seat(list, at: number)
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
        list.move(
            to: Seat(
                number: number, open: { send(.open(number, crumb: crumb, $0)) },
                send: { send(.command(number, $0, by: $1)) },
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
