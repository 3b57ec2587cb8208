import DBus
import ListClient

@DBusActor
final class Mail {
    private lazy var client = ListClient(address: .session) { [weak self] in self?.availabilityChanged($0) }
    private lazy var list = ListFollower(name: "mail") { [weak self] in self?.handle($0) }
    private var rows: [MirroredObject] = []

    func start() { client.start() }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        switch availability {
        case .available(let daemon): Task { await list.attach(to: daemon) }
        case .noDaemon, .noBus: list.detach()
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes): for change in changes { apply(change) }
        case .failed(let error): print(error.message)
        case .removed: print("the list was removed")
        }
    }

    private func apply(_ change: MirrorChange) {
        switch change {
        case .replaced: rows = list.mirror.objects.compactMap { $0 }
        case .inserted(let section, let object): rows.insert(object, at: section)
        case .deleted(let section, _): rows.remove(at: section)
        case .moved(let from, let to, let object):
            rows.remove(at: from)
            rows.insert(object, at: to)
        case .updated(let section, let object): rows[section] = object
        }
    }
}
