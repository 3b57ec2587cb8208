internal import DBus
internal import ListKit

/// A place where a list is hosted.
struct Seat: Sendable {
    /// Its number, which no other seat of the list has had.
    let number: SeatNumber
    /// Whether the section controllers of the plugin are asked there.
    var isOfPlugin = true
    /// Opens the list there.
    let open: @Sendable (HostSetup) -> Void
    /// Hands a command on, of a user or of listd's own.
    let send: @Sendable (_ command: AdapterCommand, _ user: UInt32?) -> Void
    /// Says that the host does what no host does.
    let blame: @Sendable (String) -> Void
    /// Leaves.
    let close: @Sendable () -> Void
}

extension Seat {
    /// Hands on a command of listd's own.
    func send(_ command: AdapterCommand) { send(command, nil) }
}

@DBusActor
extension Seat {
    private static var lastNumber: SeatNumber = 0

    /// A number that no other seat has.
    static func nextNumber() -> SeatNumber {
        lastNumber &+= 1
        return lastNumber
    }

    /// A place inside the daemon: for section controllers of plugins that run there, and where `listd/single` stands in for
    /// those of a plugin that has failed.
    ///
    /// - Parameter place: where the host is, while the seat is open.
    static func inDaemon(_ list: GuardedHost, _ place: SubstituteHost = SubstituteHost()) -> Seat {
        let number = nextNumber()
        return Seat(
            number: number, isOfPlugin: false,
            open: { setup in
                place.host = SeatedHost(setup, controllers: setup.controllers, tracer: CallTracer(nil)) {
                    [weak list] output in list?.take(output, from: number)
                }
            }, send: { place.host?.send($0, by: $1) }, blame: { _ in }, close: { place.host = nil })
    }
}
