import DBus
import ListClient

@DBusActor
final class Mail {
    private lazy var client = ListClient(address: .session) { [weak self] in self?.availabilityChanged($0) }

    func start() { client.start() }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        switch availability {
        case .available: print("listd is there")
        case .noDaemon: print("waiting for listd")
        case .noBus(let error): print("waiting for the bus: \(error.message)")
        }
    }
}
