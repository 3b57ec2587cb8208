// SPDX-License-Identifier: Apache-2.0

import ListKit

/// Draws the slots of a view as lines of text.
func show(_ screen: SlotMirror, title: String) {
    print(title)
    for item in screen.items {
        let frame = item.frame
        let text = item.content["text"]?.string ?? ""
        print("  slot \(item.slot)  y \(Int(frame.minY))  \(Int(frame.size.width))×\(Int(frame.size.height))  \(text)")
    }
}

@main
enum Journal {
    static func main() throws {
        let feed = Feed()
        feed.posts = [
            .journal(day: 20, text: "Landed on Mars. The dust is finer than they said it would be."),
            .weather(day: 21, forecast: "dusty, -60"),
            .message(day: 22, user: "nasa", text: "How are you?"),
            .journal(day: 23, text: "Found water."),
        ]
        let adapter = ListAdapter(configuration: .init(name: "journal"), controllers: Controllers())
        adapter.setDataSource(feed)
        var screen = SlotMirror(view: 1)
        try adapter.openView(1)
        let viewport = Rect(x: 0, y: 0, width: 320, height: 480)
        screen.apply(try adapter.setViewport(view: 1, seen: 0, rect: viewport).effects)
        show(screen, title: "The journal, newest first:")

        func add(_ post: Post) {
            feed.add(post)
            adapter.performUpdates()
            for result in adapter.flushNow() { screen.apply(result.events) }
        }
        add(.message(day: 24, user: "you", text: "Still here."))
        show(screen, title: "A message comes in:")

        let days = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        guard days > 0 else { return }
        for day in 25..<25 + days { add(.journal(day: day, text: "The wheels turn.")) }
        show(screen, title: "\(days) days later:")
    }
}
