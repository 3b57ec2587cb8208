// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

extension Command {
    /// `create`: creates a list.
    static let create = Command(
        name: "create", group: .managing, summary: "Make a list.",
        operands: [.init(name: "NAME"), .init(name: "KEY=VALUE", arity: .any, completion: .listOption)],
        discussion: [
            "KEY is an option of CreateAdapter (org.listd.Listd1(5), OPTIONS OF A LIST), as in “create mail durability=memory "
                + "readers=group:staff”. Several section-controllers, empty or hints are separated by commas: "
                + "section-controllers=mail=inbox/Mail,*=listd/single."
        ]
    ) { invocation throws(UsageError) in
        let name = invocation.operand("NAME")
        let options = invocation.operands("KEY=VALUE")
        try checkName(name)
        do throws(DBusError) {
            try AdapterOptionText.checkKeys(of: options)
        } catch {
            throw UsageError(message: error.message)
        }
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                let path = try await daemon.createAdapter(name, options: try AdapterOptionText.parse(options))
                context.print(path.text, json: ["name": .string(name), "path": .objectPath(path)])
                return .done
            }
        }
    }

    /// `rename`: gives a list another name.
    static let rename = Command(
        name: "rename", group: .managing, summary: "Give a list another name; its views close, its contents stay.",
        operands: [.list, .init(name: "NEW")]
    ) { invocation throws(UsageError) in
        let old = invocation.operand("NAME")
        let new = invocation.operand("NEW")
        try checkName(new)
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                try await daemon.renameAdapter(old, to: new)
                return .done
            }
        }
    }

    /// `remove`: removes a list and its objects.
    static let remove = Command(
        name: "remove", group: .managing, summary: "Remove a list with all that is in it.", operands: [.list]
    ) { invocation in
        let name = invocation.operand("NAME")
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                try await daemon.removeAdapter(name)
                return .done
            }
        }
    }

    /// Refuses an empty name. listd accepts it, but an empty argument most likely comes from a shell variable that is
    /// not set.
    private static func checkName(_ name: String) throws(UsageError) {
        if name.isEmpty { throw UsageError(message: "a list needs a name") }
    }
}
