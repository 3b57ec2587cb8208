// SPDX-License-Identifier: Apache-2.0

/// A list of the measured listd, whose methods are called with plain libdbus.
struct BareAdapter {
    let stage: BusStage
    let path: String

    /// Creates a list, in memory unless another durability is given.
    init(_ stage: BusStage, _ name: String, _ options: [(String, String)] = [], durability: String = "memory") {
        self.stage = stage
        let call = BareMessage(
            to: BusStage.listd, "/org/listd/Listd1", BusStage.listd + ".Manager", "CreateAdapter")
        call.write { writer in
            writer.append(name)
            writer.appendDictionary(options + [("durability", durability)])
        }
        var reader = stage.client.call(call).reader
        path = reader.string()
    }

    /// Refers to a list that the configuration defines.
    init(_ stage: BusStage, configured name: String) {
        self.stage = stage
        path = "/org/listd/Listd1/adapters/\(name)"
    }

    private func call(_ member: String, interface: String = "Adapter", at path: String? = nil) -> BareMessage {
        BareMessage(to: BusStage.listd, path ?? self.path, BusStage.listd + "." + interface, member)
    }

    /// Returns a call of `PerformUpdates` that replaces the whole list.
    func performUpdates(objectCount count: Int, fields: (Int) -> [(String, String)]) -> BareMessage {
        let call = call("PerformUpdates")
        call.write { writer in
            writer.append(UInt64(0))
            writer.appendContainer(DBusType.array, signature: "(ssa{sv})") { rows in
                for index in 0..<count {
                    rows.appendContainer(DBusType.structure, signature: nil) { row in
                        row.append("object-\(1_000_000_000 + index)")
                        row.append("row")
                        row.appendDictionary(fields(index))
                    }
                }
            }
            writer.appendDictionary([])
        }
        return call
    }

    /// Returns a call of `ApplyChanges` that appends new objects.
    func appendObjects(_ range: Range<Int>) -> BareMessage {
        let call = call("ApplyChanges")
        call.write { writer in
            writer.append(UInt64(0))
            writer.appendContainer(DBusType.array, signature: "s") { _ in }
            writer.appendContainer(DBusType.array, signature: "(ssssa{sv})") { rows in
                for index in range {
                    rows.appendContainer(DBusType.structure, signature: nil) { row in
                        for word in ["object-\(1_000_000_000 + index)", "row", "last", ""] { row.append(word) }
                        row.appendDictionary([
                            ("title", "row \(index)"), ("subtitle", "under \(index), as long as most are"),
                        ])
                    }
                }
            }
            writer.appendDictionary([])
        }
        return call
    }

    /// Returns a call of `ApplyChanges` that replaces the fields of an object.
    func changeObject(_ index: Int, title: String) -> BareMessage {
        let call = call("ApplyChanges")
        call.write { writer in
            writer.append(UInt64(0))
            writer.appendContainer(DBusType.array, signature: "s") { _ in }
            writer.appendContainer(DBusType.array, signature: "(ssssa{sv})") { rows in
                rows.appendContainer(DBusType.structure, signature: nil) { row in
                    row.append("object-\(1_000_000_000 + index)")
                    for word in ["row", "keep", ""] { row.append(word) }
                    row.appendDictionary([("title", title)])
                }
            }
            writer.appendDictionary([])
        }
        return call
    }

    /// Returns a call of `GetItems` for the first sections.
    func getItems(sectionCount count: UInt32) -> BareMessage {
        let call = call("GetItems")
        call.write { writer in
            writer.append(UInt32(0))
            writer.append(count)
            writer.appendContainer(DBusType.array, signature: "s") { _ in }
        }
        return call
    }

    /// Returns a call of `SetSourceArgument`.
    func setArgument(_ argument: String) -> BareMessage {
        let call = call("SetSourceArgument")
        call.write { $0.append(argument) }
        return call
    }

    /// Returns a call of `FindObject`.
    func findObject(_ index: Int) -> BareMessage {
        let call = call("FindObject")
        call.write { $0.append("object-\(1_000_000_000 + index)") }
        return call
    }

    /// Returns a call of `Search` in all fields, from the first object on.
    func search(_ text: String) -> BareMessage {
        let call = call("Search")
        call.write { writer in
            writer.append(text)
            writer.appendContainer(DBusType.array, signature: "s") { _ in }
            writer.append(UInt32(0))
            writer.append(false)
        }
        return call
    }

    /// Opens a view and returns its path.
    func openView(by client: BareConnection) -> String {
        let call = call("OpenView")
        call.write { $0.appendDictionary([]) }
        var reader = client.call(call).reader
        return reader.string()
    }

    /// Returns a call of `View.SetViewport`.
    func setViewport(_ view: String, y: Double, height: Double) -> BareMessage {
        let call = call("SetViewport", interface: "View", at: view)
        call.write { writer in
            writer.append(UInt64(0))
            for number in [0, y, 320, height] { writer.append(number) }
        }
        return call
    }

    /// Returns a call of `View.Ack`, which has no reply.
    func acknowledge(_ view: String, sequence: UInt64) -> BareMessage {
        let call = call("Ack", interface: "View", at: view)
        call.write { $0.append(sequence) }
        return call
    }
}
