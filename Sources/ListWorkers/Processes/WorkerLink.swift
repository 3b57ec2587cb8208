// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListKit
internal import ListSources
internal import ListSupport

/// One end of the socket between the daemon and a worker, which carries packets in both directions, in order.
///
/// The event loop reads at each end. A large packet is decoded on another thread, and the socket is not read meanwhile.
///
/// The daemon never waits: packets that the socket does not take are queued. A thread of a worker waits until the daemon has
/// read enough, which is the back-pressure of its list.
@DBusActor
final class WorkerLink {
    /// What reading the socket returns.
    private enum Arrival {
        case packet(WorkerPacket)
        case nothing
        case end
    }

    /// The maximum number of packets that are read before other descriptors have their turn.
    private static let packetsAtOnce = 16
    /// More packets than fit into the socket's buffer.
    private static let mostPacketsInSocket = 1024
    /// The maximum number of queued packets. A worker that does not read is mostly ended long before (``WorkerPulse``).
    static let mostUnsent = 1 << 16
    /// A packet as it is read. All links of a process share it.
    private static var buffer = [UInt8](repeating: 0, count: WorkerPacket.inlineBytes)

    private nonisolated let socket: FileDescriptor
    private var watch: DescriptorWatch?
    private var receive: (@DBusActor (WorkerPacket) -> Void)?
    private var end: (@DBusActor (String?) -> Void)?
    private let decoder = DispatchQueue(label: "org.listd.link")
    /// Whether a packet is being decoded on another thread.
    private var isDecoding = false
    /// Whether the owner has paused reading.
    private var isPaused = false
    /// The packets that the socket has not taken yet.
    private var unsent = WorkQueue<WorkerPacket>()
    /// The number of packets that may still be read; nil = any.
    private var remaining: Int?

    /// Makes an end from its socket.
    nonisolated init(_ socket: FileDescriptor) { self.socket = socket }

    /// Makes both ends of a link: the daemon's, and the socket for the worker.
    static func makePair() throws(ListError) -> (link: WorkerLink, workersEnd: FileDescriptor) {
        var (own, other): (Int32, Int32) = (-1, -1)
        guard unsafe listd_packet_pair(&own, &other) == 0 else {
            throw ListError(.pluginFailed, "the socket for a worker could not be made", cause: SystemError.text(errno))
        }
        return (WorkerLink(FileDescriptor(adopting: own)), FileDescriptor(adopting: other))
    }

    /// Whether ``begin(receive:onEnd:)`` was called, and the link has not ended.
    var isOpen: Bool { watch != nil }

    /// Whether packets are read at present.
    var isReading: Bool { isOpen && !isPaused && !isDecoding }

    /// Reads messages from now on. The closures are kept until the link ends or ``close()`` is called.
    ///
    /// - Parameters:
    ///   - receive: called with each message in order, and whether it is light (``WorkerPacket/isLight``).
    ///   - onEnd: called once, when the other end is closed, or with a reason why the link cannot be used any more.
    func begin<Message: WireCodable & Sendable>(
        receive: @escaping @DBusActor (_ message: Message, _ isLight: Bool) -> Void,
        onEnd: @escaping @DBusActor (_ reason: String?) -> Void
    ) throws(ListError) {
        do throws(DBusError) {
            // The watch retains the link, as it has to be cancelled before the socket is closed.
            watch = try EventLoop.shared.watch(socket.rawValue, for: .readable) { events in
                if events != .readable { self.sendQueue() }
                self.read()
            }
        } catch {
            throw ListError(.pluginFailed, "the socket of a worker cannot be watched", cause: error.message)
        }
        self.receive = { packet in self.decode(packet, receive) }
        end = onEnd
        updateInterest()
    }

    /// Ends the link: nothing is sent or read any more.
    func close() {
        watch?.cancel()
        (watch, receive, end, unsent) = (nil, nil, nil, WorkQueue())
        remaining = 0
    }

    private func end(because reason: String?) {
        let end = end
        close()
        end?(reason)
    }

    private func updateInterest() {
        let interest: DescriptorEvents = isReading ? .readable : []
        watch?.setInterest(unsent.isEmpty ? interest : interest.union(.writable))
    }
}

// MARK: - Reading

extension WorkerLink {
    /// Reads what the other process has sent before it ended, and then ends the link, even if a third process has the
    /// other end, too.
    func finish() {
        remaining = Self.mostPacketsInSocket
        readOn()
    }

    /// Stops to read packets, or reads on.
    func setPaused(_ flag: Bool) {
        guard flag != isPaused else { return }
        isPaused = flag
        readOn()
    }

    /// Reads if there is no reason not to.
    private func readOn() {
        updateInterest()
        // No event tells that nothing is left.
        if isReading, remaining != nil { EventLoop.shared.post { self.read() } }
    }

    private func read() {
        guard isOpen else { return }
        for _ in 0..<(remaining ?? Self.packetsAtOnce) {
            guard isReading else { return }
            do throws(WireError) {
                switch try nextArrival() {
                case .packet(let packet):
                    remaining = remaining.map { $0 - 1 }
                    receive?(packet)
                case .nothing:
                    if remaining != nil { end(because: nil) }
                    return
                case .end: return end(because: nil)
                }
            } catch {
                return end(because: error)
            }
        }
        if remaining == 0 { end(because: nil) }
    }

    private func decode<Message: WireCodable & Sendable>(
        _ packet: WorkerPacket, _ receive: @escaping @DBusActor (Message, _ isLight: Bool) -> Void
    ) {
        guard !packet.isLight else {
            return deliver(Result { () throws(WireError) in try packet.value() }) { receive($0, true) }
        }
        isDecoding = true
        updateInterest()
        decoder.async {
            let message = Result { () throws(WireError) in try packet.value(of: Message.self) }
            EventLoop.shared.post {
                guard self.isOpen else { return }
                self.isDecoding = false
                self.deliver(message) { receive($0, false) }
                self.readOn()
            }
        }
    }

    private func deliver<Message>(_ message: Result<Message, WireError>, _ receive: (Message) -> Void) {
        switch message {
        case .success(let message): receive(message)
        case .failure(let error): end(because: error)
        }
    }

    private func end(because error: WireError) { end(because: "the worker sent an invalid packet: \(error.what)") }

    /// Waits for the first packet, which is read before ``begin(receive:onEnd:)``; nil if there is none.
    func waitForFirst() -> WorkerPacket? {
        if case .packet(let packet)? = try? nextArrival(waits: true) { packet } else { nil }
    }

    private func nextArrival(waits: Bool = false) throws(WireError) -> Arrival {
        var (file, files): (Int32, Int) = (-1, 1)
        let count = unsafe Self.buffer.withUnsafeMutableBytes { buffer in
            unsafe listd_receive_packet(socket.rawValue, buffer.baseAddress, buffer.count, &file, &files, waits ? 1 : 0)
        }
        guard count >= 0 else {
            switch errno {
            case EAGAIN: return .nothing
            case EMSGSIZE: throw WireError("the packet is too long, or has descriptors that nobody asked for")
            case let number: throw WireError("the packet cannot be read: \(SystemError.text(number))")
            }
        }
        let received = files > 0 ? FileDescriptor(adopting: file) : nil
        guard count > 0 else { return .end }
        guard let received else { return .packet(.bytes(Array(Self.buffer[..<count]))) }
        guard count == 1 else { throw WireError("the packet has a descriptor that nobody asked for") }
        return .packet(.file(received))
    }
}

// MARK: - Sending

extension WorkerLink {
    /// Sends a packet, or queues it while the socket is full.
    ///
    /// - Throws: `limitsExceeded` when the kernel refuses the packet, or too many are queued.
    func send(_ packet: WorkerPacket) throws(ListError) {
        guard remaining == nil else { return }
        guard unsent.isEmpty else {
            guard unsent.count < Self.mostUnsent else {
                throw ListError(.limitsExceeded, "the worker does not read its \(Self.mostUnsent) orders")
            }
            return unsent.append(packet)
        }
        guard try !transmit(packet, waits: false) else { return }
        unsent.append(packet)
        updateInterest()
    }

    private func sendQueue() {
        do throws(ListError) {
            while let packet = unsent.first, try transmit(packet, waits: false) { _ = unsent.popFirst() }
        } catch {
            return end(because: error.description)
        }
        updateInterest()
    }

    /// Sends a packet from a thread that may wait until the socket takes it.
    ///
    /// - Throws: `limitsExceeded` when the kernel refuses the packet.
    nonisolated func sendAndWait(_ packet: WorkerPacket) throws(ListError) { _ = try transmit(packet, waits: true) }

    /// Returns false if the socket is full.
    private nonisolated func transmit(_ packet: WorkerPacket, waits: Bool) throws(ListError) -> Bool {
        let waits: Int32 = waits ? 1 : 0
        let result: Int32
        switch packet {
        case .bytes(let bytes):
            result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe listd_send_packet(socket.rawValue, buffer.baseAddress, buffer.count, nil, 0, waits)
            }
        case .file(let file):
            var (byte, number): (UInt8, Int32) = (0, file.rawValue)
            result = unsafe listd_send_packet(socket.rawValue, &byte, 1, &number, 1, waits)
        }
        guard result != 0 else { return true }
        switch errno {
        case EAGAIN: return false
        // Somebody has made the buffers of sockets smaller (net.core.wmem_default).
        case EMSGSIZE: return try transmit(packet.inFile(), waits: waits != 0)
        // The other end is closed, which reading notices.
        case EPIPE, ECONNRESET: return true
        case let number:
            throw ListError(
                .limitsExceeded, "listd and a worker cannot exchange a packet", cause: SystemError.text(number))
        }
    }
}

/// An encoded order or report: its bytes, or for a large one a sealed memory file (memfd_create(2)) that contains them.
///
/// A file is sent with one byte, as the end of a link is a packet without bytes.
enum WorkerPacket: Sendable {
    case bytes([UInt8])
    case file(FileDescriptor)

    /// The maximum size of an encoded value that is sent on the socket, in bytes. The buffer of a socket has 208 KiB unless
    /// somebody has changed it.
    static let inlineBytes = 128 << 10
    /// The maximum size of an encoded value, in bytes.
    static let maximumBytes = 256 << 20

    /// Encodes a value.
    ///
    /// - Throws: `limitsExceeded` for a value larger than ``maximumBytes``, and when there is no memory for the file.
    init(_ value: some WireCodable) throws(ListError) {
        let bytes = WireWriter.bytes(of: value)
        guard bytes.count <= Self.maximumBytes else {
            throw ListError(
                .limitsExceeded,
                "a message between listd and a worker has \(bytes.count) bytes, more than \(Self.maximumBytes)")
        }
        let packet = WorkerPacket.bytes(bytes)
        self = bytes.count > Self.inlineBytes ? try packet.inFile() : packet
    }

    /// The packet as a file.
    ///
    /// - Throws: `limitsExceeded` when there is no memory for the file.
    func inFile() throws(ListError) -> WorkerPacket {
        switch self {
        case .bytes(let bytes): .file(try SealedMemory.file(named: "listd worker", containing: bytes))
        case .file: throw ListError(.limitsExceeded, "the socket of a worker takes no packets")
        }
    }

    /// The maximum size of a light packet, in bytes. Decoding so many bytes takes about as long as a change of threads.
    private static let lightBytes = 16 << 10

    /// Whether the event loop decodes the packet itself.
    var isLight: Bool {
        if case .bytes(let bytes) = self { bytes.count <= Self.lightBytes } else { false }
    }

    /// Decodes the value.
    func value<Value: WireCodable>(of type: Value.Type = Value.self) throws(WireError) -> Value {
        switch self {
        case .bytes(let bytes): try WireReader.value(of: type, from: bytes)
        case .file(let file): try WireReader.value(of: type, from: Self.contents(of: file))
        }
    }

    private static func size(of file: FileDescriptor) -> Int? {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, listd_is_sealed(file.rawValue) == 1 else { return nil }
        return Int(status.st_size)
    }

    /// Reads a sealed memory file. Other files are refused, as reading them could block.
    private static func contents(of file: FileDescriptor) throws(WireError) -> [UInt8] {
        guard let size = size(of: file), size <= maximumBytes else {
            throw WireError("the memory file of a message is not sealed, or is too large")
        }
        var count = 0
        // The capacity of the array is the number of requested bytes.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
            while count < size {
                let read = unsafe pread(
                    file.rawValue, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
                guard read > 0 else { break }
                count += read
            }
            used = count
        }
        guard count == size else {
            throw WireError("only \(count) of the \(size) bytes of a memory file could be read")
        }
        return bytes
    }
}
