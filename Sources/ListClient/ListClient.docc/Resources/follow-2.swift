import DBus
import ListClient

@DBusActor
final class Mail {
    private lazy var client = ListClient(address: .session) { [weak self] in self?.availabilityChanged($0) }
    private lazy var list = ListFollower(name: "mail") { [weak self] in self?.handle($0) }

    func start() { client.start() }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        switch availability {
        case .available(let daemon): Task { await list.attach(to: daemon) }
        case .noDaemon, .noBus: list.detach()
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes): print("\(changes.count) changes, \(list.mirror.count) objects")
        case .failed(let error): print(error.message)
        case .removed: print("the list was removed")
        }
    }
}
