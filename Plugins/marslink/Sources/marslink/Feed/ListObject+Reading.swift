// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

extension Date {
    /// Microseconds since 1970, as the field `date` has them; as far as 64 bits go.
    var value: Value {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        return .int64(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension ListObject {
    func date() throws(ListError) -> Date {
        guard let microseconds = fields["date"]?.int else { throw ListError(.invalidObject, "\(id): no date") }
        return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    func text(_ key: String) throws(ListError) -> String {
        guard let text = fields[key]?.string else { throw ListError(.invalidObject, "\(id): no \(key)") }
        return text
    }
}
