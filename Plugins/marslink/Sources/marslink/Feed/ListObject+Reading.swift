// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

extension Date {
    /// The date as a value of the field `date`: microseconds since 1970, clamped to 64 bits.
    var value: Value {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        return .int64(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension ListObject {
    func requiredDate() throws(ListError) -> Date {
        guard let microseconds = fields["date"]?.int else {
            throw ListError(.invalidObject, "the object \(id.quoted) has no valid field “date”")
        }
        return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    func requiredText(_ key: String) throws(ListError) -> String {
        guard let text = fields[key]?.string else {
            throw ListError(.invalidObject, "the object \(id.quoted) has no valid field \(key.quoted)")
        }
        return text
    }
}
