/// The answer to one `GetManagedObjects`: each object is written on the event loop's thread, where its properties are, and the
/// objects are put together on any.
@DBusActor
package final class ManagedObjects {
    private let call: Call
    private var left: ArraySlice<(path: ObjectPath, object: ExportedObject)>
    private var written = WrittenObjects()
    private var completion: (@DBusActor () -> Void)?
    private lazy var work = LoopWork { [unowned self] in writeNext() }

    init(of objects: [(path: ObjectPath, object: ExportedObject)], for call: Call) {
        self.call = call
        left = objects[...]
    }

    /// Answers at once.
    func answer() {
        while !left.isEmpty { _ = writeNext() }
        call.replyWriting { [written] writer in written.append(to: &writer) }
    }

    /// Writes the objects one by one, in turns with what else the event loop does; `completion` is told about how many bytes
    /// the answer has.
    package func collect(_ completion: @escaping @DBusActor (_ size: Int) -> Void) {
        self.completion = { [self] in completion(written.size) }
        work.begin()
    }

    /// Writes the whole answer; to be called when all objects were collected.
    package var body: @Sendable (inout MessageWriter) throws(DBusError) -> Void {
        { [written] (writer) throws(DBusError) in written.append(to: &writer) }
    }

    private func writeNext() -> Bool {
        if !call.isAnswered, let (path, object) = left.popFirst() {
            written.add(path, object, for: call.peer)
            if !left.isEmpty { return true }
        }
        let completion = completion
        self.completion = nil
        completion?()
        return false
    }
}

/// Objects with their interfaces, `a{sa{sv}}`, as bytes.
private struct WrittenObjects: Sendable {
    private var objects: [(path: ObjectPath, interfaces: WrittenArray)] = []
    /// Bytes of all of them.
    private(set) var size = 0

    @DBusActor
    mutating func add(_ path: ObjectPath, _ object: ExportedObject, for peer: Peer) {
        guard let interfaces = try? WrittenArray("a{sa{sv}}", { object.writeInterfaces(for: peer, to: &$0) }) else {
            return
        }
        objects.append((path, interfaces))
        size += path.text.utf8.count + interfaces.size + 24
    }

    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (path, interfaces) in objects {
                entries.dictionaryEntry { entry in
                    entry.append(path)
                    entry.append(interfaces)
                }
            }
        }
    }
}
