// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The feed of a list without a file: a few days on Mars.
enum SampleFeed {
    /// The time of the landing.
    static let landing = Date(timeIntervalSince1970: 2_077_943_400)  // 2035-11-06T06:30:00Z

    /// The feed in the format of a file.
    static let lines = #"""
        {"kind":"weather","id":"weather-12","date":"2035-11-18T16:00:00Z","high":-9,"low":-78,"sunrise":"05:42","sunset":"17:58","condition":"clear"}
        {"kind":"journal","id":"entry-1","date":"2035-11-06T08:00:00Z","author":"Ines","text":"We are down. The dust has settled on the windows, and nobody says a word."}
        {"kind":"journal","id":"entry-2","date":"2035-11-08T19:20:00Z","author":"Ines","text":"The habitat holds its pressure. Two of us slept in it, or tried to: the wind makes the walls hum in a low fifth."}
        {"kind":"journal","id":"entry-3","date":"2035-11-11T17:45:00Z","author":"Ines","text":"First drive. Twelve kilometres out, and the tracks were gone when we came back along them."}
        {"kind":"journal","id":"entry-4","date":"2035-11-15T20:10:00Z","author":"Ines","text":"The beans have come up, all but one row. Pavel talks to that one in the evenings."}
        {"kind":"journal","id":"entry-5","date":"2035-11-18T15:30:00Z","author":"Ines","text":"Dust in the north. The station says three days; the barometer says two."}
        {"kind":"message","id":"message-1","date":"2035-11-06T09:10:00Z","author":"Ground","text":"Welcome to Mars. You were eleven minutes late, and we did not mind."}
        {"kind":"message","id":"message-2","date":"2035-11-12T07:00:00Z","author":"Ground","text":"Please check the left rear wheel before the next drive: its motor drew more current than the others."}
        {"kind":"message","id":"message-3","date":"2035-11-16T12:30:00Z","author":"Home","text":"It snowed today. We built one with a helmet."}
        {"kind":"message","id":"message-4","date":"2035-11-18T16:20:00Z","author":"Ground","text":"Storm confirmed. Bring everything inside that you want to find again."}
        """#

    /// The entries of a new list: all but the messages, which arrive one by one.
    static var feed: Feed { Feed(all.entries.filter { !$0.isMessage }) }

    /// The messages, the oldest first.
    static var messages: [FeedEntry] { all.entries.filter(\.isMessage).reversed() }

    private static var all: Feed { Feed(lines: Data(lines.utf8)) }
}
