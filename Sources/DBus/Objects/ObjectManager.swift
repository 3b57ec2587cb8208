// SPDX-License-Identifier: Apache-2.0

extension StandardObject {
    static let interfacesAdded = Signal(
        "InterfacesAdded", ["object_path": "o", "interfaces_and_properties": "a{sa{sv}}"])
    static let interfacesRemoved = Signal("InterfacesRemoved", ["object_path": "o", "interfaces": "as"])

    static let objectManager = Interface<StandardObject>(
        StandardInterface.objectManager,
        [
            .method(
                "GetManagedObjects", out: ["objpath_interfaces_and_properties": "a{oa{sa{sv}}}"]
            ) { object, call in
                let managed = ManagedObjects(of: object.tree.objects(managedAt: object.path), for: call)
                object.tree.answer(call, with: managed)
            },
            .signal(interfacesAdded),
            .signal(interfacesRemoved),
        ])
}
