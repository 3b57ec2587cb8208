// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// Texts for people of fields with a hint (org.listd.Listd1(5), OPTIONS OF A LIST, *hints*).
extension FieldHint {
    /// Returns a field's value as text for people; `nil` when the hint does not fit the type of the value.
    func text(of value: DBusValue) -> String? {
        guard let number = Self.number(value) else { return nil }
        let whole = Int64(exactly: number.rounded(.towardZero))
        return switch self {
        case .bytes: Self.bytes(number)
        case .timeInMicroseconds: ClockTime.text(secondsSince1970: number / 1e6)
        case .timeInSeconds: ClockTime.text(secondsSince1970: number)
        case .permissions: whole.flatMap(UInt32.init(exactly:)).map(Self.permissions)
        case .userID: whole.flatMap(UInt32.init(exactly:)).map(UserName.ofUser)
        case .groupID: whole.flatMap(UInt32.init(exactly:)).map(UserName.ofGroup)
        case .percent: Self.decimal(number) + " %"
        case .durationInMicroseconds: Self.duration(number)
        }
    }

    /// Whether a column with this hint is aligned to the right.
    var isRightAligned: Bool {
        switch self {
        case .bytes, .percent, .durationInMicroseconds: true
        case .permissions, .userID, .groupID, .timeInSeconds, .timeInMicroseconds: false
        }
    }

    /// The position of a field with this hint among the columns, in the order of ls(1).
    var rank: Int {
        switch self {
        case .permissions: 0
        case .userID: 1
        case .groupID: 2
        case .bytes: 3
        case .percent: 4
        case .durationInMicroseconds: 5
        case .timeInSeconds, .timeInMicroseconds: 6
        }
    }

    private static func number(_ value: DBusValue) -> Double? {
        switch value {
        case .byte(let number): Double(number)
        case .int16(let number): Double(number)
        case .uint16(let number): Double(number)
        case .int32(let number): Double(number)
        case .uint32(let number): Double(number)
        case .int64(let number): Double(number)
        case .uint64(let number): Double(number)
        case .double(let number): number.isFinite ? number : nil
        case .variant(let inner): Self.number(inner)
        case .boolean, .string, .objectPath, .signature, .fileDescriptor, .array, .dictionary, .structure: nil
        }
    }

    /// Returns a number of bytes with a unit and at most three digits, such as `67 KiB`.
    static func bytes(_ count: Double) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var (value, unit) = (count, 0)
        while value.magnitude >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        if unit > 0, value.magnitude < 9.95 { return "\(decimal(value)) \(units[unit])" }
        return "\(Int64(exactly: value.rounded()).map(String.init) ?? "\(value)") \(units[unit])"
    }

    /// Returns a file mode as ls(1) writes it, such as `-rw-r--r--`. A mode without type bits is shown as a regular
    /// file's.
    private static func permissions(_ mode: UInt32) -> String {
        let types: [UInt32: Character] = [
            UInt32(S_IFDIR): "d", UInt32(S_IFLNK): "l", UInt32(S_IFCHR): "c", UInt32(S_IFBLK): "b",
            UInt32(S_IFIFO): "p", UInt32(S_IFSOCK): "s",
        ]
        var text = String(types[mode & UInt32(S_IFMT)] ?? "-")
        for (shift, special, sign) in [(6, 0o4000, "s"), (3, 0o2000, "s"), (0, 0o1000, "t")]
            as [(UInt32, UInt32, String)]
        {
            let bits = mode >> shift
            let runs = bits & 1 != 0
            text += (bits & 4 != 0 ? "r" : "-") + (bits & 2 != 0 ? "w" : "-")
            text += mode & special != 0 ? (runs ? sign : sign.uppercased()) : (runs ? "x" : "-")
        }
        return text
    }

    /// Returns a duration in up to two units, such as `350 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min` or `3 d 4 h`.
    private static func duration(_ microseconds: Double) -> String {
        let sign = microseconds < 0 ? "-" : ""
        let value = microseconds.magnitude
        if value < 1000 { return "\(sign)\(Int(value)) µs" }
        if value < 999_500 { return "\(sign)\(Int((value / 1000).rounded())) ms" }
        if value < 59_950_000 { return "\(sign)\(decimal(value / 1e6)) s" }
        guard let seconds = Int64(exactly: (value / 1e6).rounded()) else { return "\(sign)\(value / 1e6) s" }
        let (large, small) =
            seconds < 3600
            ? ((seconds / 60, "min"), (seconds % 60, "s"))
            : seconds < 86400
                ? ((seconds / 3600, "h"), (seconds % 3600 / 60, "min"))
                : ((seconds / 86400, "d"), (seconds % 86400 / 3600, "h"))
        return "\(sign)\(large.0) \(large.1)" + (small.0 > 0 ? " \(small.0) \(small.1)" : "")
    }

    /// Returns a number rounded to one decimal place, without the decimal place when it is 0.
    static func decimal(_ number: Double) -> String {
        let tenths = (number * 10).rounded()
        guard let whole = Int64(exactly: tenths) else { return "\(number)" }
        return whole % 10 == 0
            ? "\(whole / 10)" : "\(whole < 0 ? "-" : "")\(whole.magnitude / 10).\(whole.magnitude % 10)"
    }
}

/// The names of users and groups, as getent(1) prints them. A user or group without a name is shown by its number.
enum UserName {
    static func ofUser(_ number: UInt32) -> String {
        var (entry, result) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        // The entry's texts are in the buffer, which lives until the name is copied.
        guard unsafe getpwuid_r(number, &entry, &buffer, buffer.count, &result) == 0, unsafe result != nil,
            let name = unsafe entry.pw_name
        else { return "\(number)" }
        return unsafe String(cString: name)
    }

    static func ofGroup(_ number: UInt32) -> String {
        var (entry, result) = unsafe (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        // The entry's texts are in the buffer, which lives until the name is copied.
        guard unsafe getgrgid_r(number, &entry, &buffer, buffer.count, &result) == 0, unsafe result != nil,
            let name = unsafe entry.gr_name
        else { return "\(number)" }
        return unsafe String(cString: name)
    }
}
