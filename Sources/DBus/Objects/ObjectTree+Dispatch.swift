extension ObjectTree {
    /// Answers a call, or hands it to the method that will.
    func dispatch(_ call: Call) {
        guard let place = place(at: call.path) else { return call.fail(DBusError.unknownObject(call.path)) }
        do { try admission?(call) } catch { return call.fail(error) }
        let standard = StandardObject.exported(tree: self, path: call.path, place: place)
        let interfaces = place.interfaces + standard.interfaces
        guard let wanted = call.interface else { return dispatch(call, amongAll: interfaces) }
        guard let interface = interfaces.first(where: { $0.name == wanted }) else {
            return call.fail(
                DBusError(.unknownInterface, "the object at \(call.path) has no interface “\(wanted)”"))
        }
        guard interface.handle(call) else { return fail(call, interface: wanted) }
    }

    /// The specification allows calls that name no interface.
    private func dispatch(_ call: Call, amongAll interfaces: [any BoundInterface]) {
        for interface in interfaces where interface.handle(call) { return }
        fail(call, interface: nil)
    }

    private func fail(_ call: Call, interface: String?) {
        let owner = interface.map { "interface “\($0)”" } ?? "the object at \(call.path)"
        call.fail(DBusError(.unknownMethod, "\(owner) has no method “\(call.member)”"))
    }
}

extension ObjectTree.Place {
    @DBusActor
    var interfaces: [any BoundInterface] {
        if case .object(let object) = self { object.interfaces } else { [] }
    }
}
