// SPDX-License-Identifier: Apache-2.0

extension ObjectTree {
    /// Answers a call, or hands it to the method that will.
    func dispatch(_ call: Call) {
        if let onArrival { onArrival(call) } else { handle(call, isAdmitted: false) }
    }

    /// Handles a call that was let in and is not answered, from the beginning; also once more.
    package func handle(_ call: Call) { handle(call, isAdmitted: true) }

    private func handle(_ call: Call, isAdmitted: Bool) {
        EventLoop.shared.turns.measure(call) {
            do {
                guard let place = place(at: call.path) else { throw DBusError.unknownObject(call.path) }
                if !isAdmitted { try admission?(call) }
                dispatch(call, to: place)
            } catch {
                call.fail(error)
            }
            return nil
        }
    }

    private func dispatch(_ call: Call, to place: Place) {
        guard let wanted = call.interface else { return dispatch(call, amongAll: interfaces(of: place, call)) }
        let found =
            place.interfaces.first { $0.name == wanted }
            ?? standardInterfaces(of: place, call).first { $0.name == wanted }
        guard let found else {
            return call.fail(
                DBusError(.unknownInterface, "the object at \(call.path.text.quoted) has no interface \(wanted.quoted)")
            )
        }
        guard found.handle(call) else { return fail(call, interface: wanted) }
    }

    private func interfaces(of place: Place, _ call: Call) -> [any BoundInterface] {
        place.interfaces + standardInterfaces(of: place, call)
    }

    private func standardInterfaces(of place: Place, _ call: Call) -> [any BoundInterface] {
        StandardObject.exported(tree: self, path: call.path, place: place).interfaces
    }

    /// The specification allows calls that name no interface.
    private func dispatch(_ call: Call, amongAll interfaces: [any BoundInterface]) {
        for interface in interfaces where interface.handle(call) { return }
        fail(call, interface: nil)
    }

    private func fail(_ call: Call, interface: String?) {
        let owner = interface.map { "interface \($0.quoted)" } ?? "the object at \(call.path.text.quoted)"
        call.fail(DBusError(.unknownMethod, "\(owner) has no method \(call.member.quoted)"))
    }
}

extension ObjectTree.Place {
    @DBusActor
    var interfaces: [any BoundInterface] {
        if case .object(let object) = self { object.interfaces } else { [] }
    }
}
