/// The name of a directory entry: any bytes but `/` and NUL, as Linux has it.
struct FileName: Hashable, Sendable {
    /// The bytes as the file system has them.
    let bytes: [UInt8]

    init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    init(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The name for people; what is not UTF-8 shows as `U+FFFD`.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether ``text`` says all there is.
    var isText: Bool { text.utf8.elementsEqual(bytes) }

    /// Whether `ls` leaves it out.
    var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

    /// Whether it is the directory itself or the one above.
    var isDot: Bool { bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] }
}
