// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import PluginAPI

/// The app of IGListKit's tutorial as a list: the data source `marslink/feed`, and section controllers for an
/// astronaut's journal, messages from Earth and the weather on Mars.
enum MarslinkPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let calendar = SolCalendar(landing: try landing(in: host.settings))
        let hasHeading = try host.settings.boolean("Headings") ?? false
        let messageInterval = try host.settings.duration("MessageInterval") ?? .seconds(3)
        return PluginManifest(
            name: "marslink", version: "1.0.0",
            sectionControllers: [
                .controller("JournalSectionController") {
                    JournalSectionController(calendar: calendar, hasHeading: hasHeading)
                },
                .controller("MessageSectionController") {
                    MessageSectionController(calendar: calendar, hasHeading: hasHeading)
                },
                .controller("WeatherSectionController") {
                    WeatherSectionController(calendar: calendar, hasHeading: hasHeading)
                },
            ],
            dataSources: [
                .source("feed") { context in try FeedSource(context, messageInterval: messageInterval) }
            ])
    }

    private static func landing(in settings: PluginSettings) throws(PluginSettingError) -> Date {
        guard let text = settings["Landing"] else { return SampleFeed.landing }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw PluginSettingError(key: "Landing", value: text, expected: "a time such as 2035-11-07T09:30:00Z")
        }
        return date
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(MarslinkPlugin.self, to: call) }
