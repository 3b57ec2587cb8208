// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// The weather of one day.
struct Weather: ListModel, Equatable, Sendable {
    static let listType = "weather"

    var id: String
    var date: Date
    /// Degrees Celsius.
    var high: Int
    /// Degrees Celsius.
    var low: Int
    /// Local time, as `05:41`.
    var sunrise: String
    /// Local time.
    var sunset: String
    /// A word, as `dusty`.
    var condition: String

    var listIdentifier: String { id }

    var listFields: Fields {
        [
            "date": date.value, "high": .int64(Int64(high)), "low": .int64(Int64(low)), "sunrise": .string(sunrise),
            "sunset": .string(sunset), "condition": .string(condition),
        ]
    }

    init(id: String, date: Date, high: Int, low: Int, sunrise: String, sunset: String, condition: String) {
        self.id = id
        self.date = date
        self.high = high
        self.low = low
        self.sunrise = sunrise
        self.sunset = sunset
        self.condition = condition
    }

    init(_ object: ListObject) throws(ListError) {
        guard let high = object.fields["high"]?.int, let low = object.fields["low"]?.int else {
            throw ListError(.invalidObject, "the object \(object.id.quoted) has no valid field “high” or “low”")
        }
        self.init(
            id: object.id, date: try object.requiredDate(), high: high, low: low,
            sunrise: try object.requiredText("sunrise"),
            sunset: try object.requiredText("sunset"), condition: try object.requiredText("condition"))
    }
}
