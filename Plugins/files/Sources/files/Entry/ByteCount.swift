// SPDX-License-Identifier: Apache-2.0

/// A number of bytes as text for people: `999 B`, `1.5 KiB`, `12 MiB`.
struct ByteCount: CustomStringConvertible {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    let bytes: UInt64

    /// At most four digits, rounded to the nearest; a number below ten has one decimal.
    var description: String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var unit = 0
        var whole = bytes
        var divisor: UInt64 = 1024
        while whole >> 10 >= 1024, unit + 1 < Self.units.count {
            whole >>= 10
            divisor <<= 10
            unit += 1
        }
        let tenths = bytes / divisor * 10 + (bytes % divisor * 10 + divisor / 2) / divisor
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(Self.units[unit])" }
        let rounded = bytes / divisor + (bytes % divisor >= divisor / 2 ? 1 : 0)
        if rounded == 1024, unit + 1 < Self.units.count { return "1.0 \(Self.units[unit + 1])" }
        return "\(rounded) \(Self.units[unit])"
    }
}
