// SPDX-License-Identifier: Apache-2.0

/// A name or keyword in the arguments of a call, of which only a bounded number of bytes is read.
///
/// Valid names have at most 255 bytes. A longer text is truncated to 256 bytes, and to a few more if a character would
/// be split. So it equals no valid name and is refused like any unknown name, at a cost that does not depend on its
/// length.
public struct NameArgument: DBusDecodable, Sendable {
    /// The text, truncated if it is longer than a name can be.
    public let text: String

    /// The type of the value on the wire.
    public static var signature: Signature { "s" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        text = try reader.readUTF8 { (bytes) throws(DBusError) in
            var end = min(bytes.count, Names.maximumLength + 1)
            while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }  // never splits a character
            // The string copies the buffer before the call returns.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0[..<end], as: UTF8.self) }
        }
    }
}
