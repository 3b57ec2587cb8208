// SPDX-License-Identifier: Apache-2.0

/// An answer to `GetManagedObjects`. The values of each object are read on the event loop's thread and can be written
/// on any thread.
@DBusActor
package final class ManagedObjects {
    private let call: Call
    private var left: ArraySlice<(path: ObjectPath, object: ExportedObject)>
    private var snapshots = ObjectSnapshots()
    private var completion: (@DBusActor () -> Void)?
    private lazy var work = LoopWork { [unowned self] in readNext() }

    init(of objects: [(path: ObjectPath, object: ExportedObject)], for call: Call) {
        self.call = call
        left = objects[...]
    }

    /// Reads all objects and answers the call, before any other work of the event loop.
    func answer() {
        while !left.isEmpty { _ = readNext() }
        call.replyWriting { [snapshots] writer in snapshots.append(to: &writer) }
    }

    /// Reads the objects one by one, alternating with other work of the event loop. `completion` gets the approximate
    /// length of the answer in bytes.
    package func collect(_ completion: @escaping @DBusActor (_ size: Int) -> Void) {
        self.completion = { [self] in completion(snapshots.size) }
        work.begin()
    }

    /// A closure that writes the whole answer. Use it after `collect` has completed.
    package var body: @Sendable (inout MessageWriter) throws(DBusError) -> Void {
        { [snapshots] (writer) throws(DBusError) in snapshots.append(to: &writer) }
    }

    /// Reads the next object, or calls the completion. Returns `true` if more objects remain.
    private func readNext() -> Bool {
        if !call.isAnswered, let (path, object) = left.popFirst() {
            snapshots.add(ObjectValues(of: object, for: call.peer), at: path)
            if !left.isEmpty { return true }
        }
        let completion = completion
        self.completion = nil
        completion?()
        return false
    }
}

/// Exported objects together with the values of their properties.
private struct ObjectSnapshots: Sendable {
    /// The approximate length of an object with small properties, in bytes.
    private static let objectBytes = 1 << 10

    private var objects: [(path: ObjectPath, values: ObjectValues)] = []
    /// The approximate length of all objects in bytes.
    private(set) var size = 0

    mutating func add(_ values: ObjectValues, at path: ObjectPath) {
        objects.append((path, values))
        size += Self.objectBytes + values.size
    }

    /// Appends all objects. An object that cannot be written is omitted, so that the others are delivered.
    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (path, values) in objects {
                guard let written = try? MessageBody("a{sa{sv}}", { values.append(to: &$0) }) else { continue }
                entries.dictionaryEntry { entry in
                    entry.append(path)
                    entry.append(arrayOf: written)
                }
            }
        }
    }
}
