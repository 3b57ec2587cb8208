// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@testable import listctl

@Suite("ItemText: an item as one line of text")
struct ItemTextTests {
    private func item(_ content: Content) -> Picture.Shown {
        Picture.Shown(
            slot: 0, objectID: "o", section: 0, item: 0, kind: "cell", reuseIdentifier: "",
            frame: Frame(x: 0, y: 0, width: 40, height: 44), z: 0, content: content)
    }

    /// Returns the expected line, computed from the whole texts.
    private func expectedLine(_ item: Picture.Shown, width: Int) -> String {
        let title = ItemText.title(of: item.content, objectID: item.objectID)
        let details = ItemText.details(of: item.content)
        let room = width - DisplayText.columns(of: title) - 2
        guard room >= 8, !details.isEmpty else { return DisplayText.fitted(title, to: width) }
        let shown = min(room, DisplayText.columns(of: details))
        return DisplayText.fitted(title, to: width - shown) + DisplayText.fitted(details, to: shown)
    }

    @Test(
        "random texts have wide and control characters → the line equals that without a length limit", arguments: 1...20
    )
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "a", "é", "e\u{301}", "漢", "👩‍👧", "❤\u{FE0F}", "\u{1B}", "\u{202E}", "🇩🇪", "\u{300}", " ", "\u{E000}",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in parts.randomElement(using: &random) }
                .joined()
        }
        for _ in 0..<100 {
            let keys = ["title", "detail", "é", "e\u{301}", "z", "漢字漢字"].filter { _ in Bool.random(using: &random) }
            let item = item(Content(keys.map { (key: $0, value: .string(text())) }))
            for width in [1, 8, 10, 17, 40, 80] {
                #expect(
                    ItemText.line(item, width: width) == expectedLine(item, width: width),
                    "seed \(seed), width \(width)")
            }
        }
    }

    @Test("an item has megabytes of text → its line has no delay, because only the displayed prefix is read")
    func large() {
        let long = String(repeating: "lorem ipsum ", count: 1 << 20)
        let contents: [Content] = [
            ["title": .string(long)], ["title": .string("t"), "detail": .string(long)], ["body": .string(long)],
        ]
        for content in contents {
            let time = ContinuousClock().measure { _ = ItemText.line(item(content), width: 80) }
            #expect(time < .milliseconds(500))
        }
    }
}
