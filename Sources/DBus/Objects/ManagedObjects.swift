// SPDX-License-Identifier: Apache-2.0

/// The answer to one `GetManagedObjects`: the values of each object are read on the event loop's thread, and written on
/// any.
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

    /// Answers at once.
    func answer() {
        while !left.isEmpty { _ = readNext() }
        call.replyWriting { [snapshots] writer in snapshots.append(to: &writer) }
    }

    /// Reads the objects one by one, in rotation with the event loop's other work; `completion` gets the approximate
    /// length of the answer in bytes.
    package func collect(_ completion: @escaping @DBusActor (_ size: Int) -> Void) {
        self.completion = { [self] in completion(snapshots.size) }
        work.begin()
    }

    /// Writes the whole answer; to be called when all objects were collected.
    package var body: @Sendable (inout MessageWriter) throws(DBusError) -> Void {
        { [snapshots] (writer) throws(DBusError) in snapshots.append(to: &writer) }
    }

    private func readNext() -> Bool {
        if !call.isAnswered, let (path, object) = left.popFirst() {
            snapshots.add(path, ObjectValues(of: object, for: call.peer))
            if !left.isEmpty { return true }
        }
        let completion = completion
        self.completion = nil
        completion?()
        return false
    }
}

/// Objects with the values of their properties.
private struct ObjectSnapshots: Sendable {
    /// The approximate length of an object whose properties are small.
    private static let objectBytes = 1 << 10

    private var objects: [(path: ObjectPath, values: ObjectValues)] = []
    /// The approximate length of all objects in bytes.
    private(set) var size = 0

    mutating func add(_ path: ObjectPath, _ values: ObjectValues) {
        objects.append((path, values))
        size += Self.objectBytes + values.size
    }

    /// An object that cannot be written is left out, so that the rest arrives.
    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (path, values) in objects {
                guard let written = try? WrittenArray("a{sa{sv}}", { values.append(to: &$0) }) else { continue }
                entries.dictionaryEntry { entry in
                    entry.append(path)
                    entry.append(written)
                }
            }
        }
    }
}
