// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The service manager's end of sd_notify(3): a datagram socket whose messages are a stream.
final class NotifySocket: Sendable {
    /// The path for `NOTIFY_SOCKET`.
    let path: String
    /// A stream of the messages, one for each datagram. The stream ends with ``close()``.
    let messages: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    // After `init` the source is only cancelled, which any thread may do.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    init(path: String) throws {
        self.path = path
        let descriptor = try Self.bind(to: path)
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        self.continuation = continuation
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        unsafe self.source = source
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { continuation.yield(String(decoding: buffer.prefix(count), as: UTF8.self)) }
        }
        source.setCancelHandler { _ = Glibc.close(descriptor) }
        source.activate()
    }

    /// Ends the stream.
    func close() {
        unsafe source.cancel()
        continuation.finish()
    }

    private static func bind(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw ListdProcess.Failure("the path of the notify socket is too long: \(path)")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw ListdProcess.Failure("bind \(path): errno \(errno)") }
        return descriptor
    }
}
