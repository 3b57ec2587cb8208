// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// The conversion of an object's or item's fields to text for people.
///
/// The names of nested fields are joined with points, as in `owner.name`.
struct FieldTexts {
    private let hints: [String: FieldHint]

    /// - Parameter hints: the hints by the names of the fields. A field without a hint shows its value unchanged.
    init(hints: [String: FieldHint]) { self.hints = hints }

    /// Whether the column of a field is aligned to the right; nil when the field has no hint.
    func isRightAligned(_ name: String) -> Bool? { hints[name]?.isRightAligned }

    /// Returns the position of a field among the columns; nil when the field has no hint.
    func rank(of name: String) -> Int? { hints[name]?.rank }

    /// Returns the names and texts of all fields in the order of their names. A nested dictionary is replaced by its
    /// entries.
    func texts(of content: Content) -> [(name: String, text: String)] {
        content.flatMap { texts(of: $0.value, named: $0.key, depth: 0) }
    }

    /// Returns the text of a field's value, by the field's hint. Containers become JSON.
    func text(of value: DBusValue, named name: String) -> String {
        hints[name]?.text(of: value) ?? ItemText.plain(value) ?? JSONLine(value).text
    }

    private func texts(of value: DBusValue, named name: String, depth: Int) -> [(name: String, text: String)] {
        guard depth < 8, case .dictionary("s", _, let entries) = value.unwrapped, !entries.isEmpty else {
            return [(name, text(of: value, named: name))]
        }
        return entries.flatMap { entry in
            guard case .string(let key) = entry.key else { return [(name: String, text: String)]() }
            return texts(of: entry.value, named: "\(name).\(key)", depth: depth + 1)
        }
    }
}

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
        case .userID: whole.flatMap(UInt32.init(exactly:)).map(Self.userName)
        case .groupID: whole.flatMap(UInt32.init(exactly:)).map(Self.groupName)
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

extension FieldHint {
    /// Returns the name of a user, as getent(1) prints it; its number if it has no name.
    static func userName(_ number: UInt32) -> String {
        var (entry, result) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        // The entry's texts are in the buffer, which lives until the name is copied.
        guard unsafe getpwuid_r(number, &entry, &buffer, buffer.count, &result) == 0, unsafe result != nil,
            let name = unsafe entry.pw_name
        else { return "\(number)" }
        return unsafe String(cString: name)
    }

    /// Returns the name of a group, as getent(1) prints it; its number if it has no name.
    static func groupName(_ number: UInt32) -> String {
        var (entry, result) = unsafe (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        // The entry's texts are in the buffer, which lives until the name is copied.
        guard unsafe getgrgid_r(number, &entry, &buffer, buffer.count, &result) == 0, unsafe result != nil,
            let name = unsafe entry.gr_name
        else { return "\(number)" }
        return unsafe String(cString: name)
    }
}

/// The texts of an item: its title, its details, and a line of both.
enum ItemText {
    /// The keys of fields that name an item, in order of preference.
    static let titleKeys = ["title", "name", "label", "text", "subject", "summary", "message"]
    /// The keys of fields that describe an item to people, in order of preference.
    static let explanationKeys = ["detail", "subtitle", "description"]
    /// The keys of fields that say how to draw an item; their values are not shown.
    static let layoutKeys: Set<String> = [
        "reuse", "width", "height", "x", "y", "z", "inset", "line-spacing", "interitem-spacing", "items", "header",
        "footer", "icon", "actions",
    ]

    /// Returns the title of an item: the first non-empty field of `titleKeys`, else the object's id.
    ///
    /// - Parameter limit: the number of columns that the caller needs. The rest of the title may be left out.
    static func title(of content: Content, objectID: String, columns limit: Int = .max) -> String {
        for key in titleKeys {
            if let text = content[key].flatMap(plain), !text.isEmpty {
                return DisplayText.sanitized(text, columns: limit)
            }
        }
        return DisplayText.sanitized(objectID, columns: limit)
    }

    /// Returns the details of an item: the first field of `explanationKeys`, else all fields but the title, as
    /// `key value` pairs in the order of the keys.
    ///
    /// - Parameter limit: the number of columns that the caller needs. The rest of the details may be left out.
    static func details(of content: Content, columns limit: Int = .max) -> String {
        for key in explanationKeys {
            if let text = content[key].flatMap(plain) { return DisplayText.sanitized(text, columns: limit) }
        }
        let title = titleKeys.first { content[$0].flatMap(plain)?.isEmpty == false }
        var result = ""
        for key in content.keys.filter({ $0 != title && !layoutKeys.contains($0) }).sorted() {
            guard let text = content[key].flatMap(plain) else { continue }
            if !result.isEmpty { result += " · " }
            result += DisplayText.sanitized(key, columns: limit) + " " + DisplayText.sanitized(text, columns: limit)
            if limit < .max, DisplayText.columns(of: result) > limit { break }
        }
        return result
    }

    /// Returns a line of exactly `width` columns, with the title on the left and, if there is room, the details on the
    /// right.
    static func line(_ item: Picture.Shown, width: Int) -> String {
        let title = title(of: item.content, objectID: item.objectID, columns: width)
        let room = width - DisplayText.columns(of: title) - 2
        let details = details(of: item.content, columns: max(0, room))
        guard room >= 8, !details.isEmpty else { return DisplayText.fitted(title, to: width) }
        let shown = min(room, DisplayText.columns(of: details))
        return DisplayText.fitted(title, to: width - shown) + DisplayText.fitted(details, to: shown)
    }

    /// Returns the names of the actions that an item offers: the texts of its field `actions`.
    static func actions(of content: Content) -> [String] {
        guard case .array(_, let values)? = content["actions"]?.unwrapped else { return [] }
        return values.compactMap { value in
            if case .string(let name) = value.unwrapped, !name.isEmpty { name } else { nil }
        }
    }

    /// Returns the text of a basic value; nil for containers and file descriptors.
    static func plain(_ value: DBusValue) -> String? {
        switch value {
        case .string(let text): text
        case .objectPath(let path): path.description
        case .signature(let signature): signature.description
        case .boolean(let flag): flag ? "yes" : "no"
        case .byte(let number): String(number)
        case .int16(let number): String(number)
        case .uint16(let number): String(number)
        case .int32(let number): String(number)
        case .uint32(let number): String(number)
        case .int64(let number): String(number)
        case .uint64(let number): String(number)
        case .double(let number): String(number)
        case .variant(let inner): plain(inner)
        case .fileDescriptor, .array, .dictionary, .structure: nil
        }
    }
}

/// Times of day and dates in the user's time zone.
enum ClockTime {
    /// The present time of day, such as `17:14:03`.
    static var now: String {
        guard let date = unsafe parts(of: time(nil)) else { return "" }
        return unsafe [date.tm_hour, date.tm_min, date.tm_sec].map(twoDigits).joined(separator: ":")
    }

    /// Returns the date and time, such as `2022-09-20 17:14`; `nil` beyond the calendar of the C library.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds.magnitude < 1e14, let date = unsafe parts(of: time_t(seconds.rounded(.down))) else { return nil }
        let day = unsafe "\(Int(date.tm_year) + 1900)-\(twoDigits(date.tm_mon + 1))-\(twoDigits(date.tm_mday))"
        return unsafe "\(day) \(twoDigits(date.tm_hour)):\(twoDigits(date.tm_min))"
    }

    private static func parts(of time: time_t) -> tm? {
        var (time, parts) = unsafe (time, tm())
        // Both pointers are to local variables. `tm_zone`, which points elsewhere, is not read.
        return unsafe localtime_r(&time, &parts) == nil ? nil : parts
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
