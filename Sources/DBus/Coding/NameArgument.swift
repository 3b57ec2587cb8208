// SPDX-License-Identifier: Apache-2.0

/// A name or a word in a caller's argument: of a text longer than any name only the beginning is read.
///
/// Names have at most 255 bytes. The part that is read of a longer text is longer, too, so it equals no name: it is
/// refused like any unknown name, at a cost that does not depend on its length.
public struct NameArgument: DBusDecodable, Sendable {
    /// The text; of a longer one at least 256 bytes.
    public let text: String

    /// The type of the value on the wire.
    public static var signature: Signature { "s" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        text = try reader.readUTF8 { (bytes) throws(DBusError) in
            var end = min(bytes.count, Names.maximumLength + 1)
            while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }  // a character is never cut in two
            // The buffer is only read during the call.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0[..<end], as: UTF8.self) }
        }
    }
}
