import ListKit

/// Keeps the slots of one view by the changes that it is sent, as every viewer does, and prints them as frames.
struct Screen {
    private var slots: [SlotNumber: PictureItem] = [:]

    mutating func apply(_ events: [AdapterEvent]) {
        for case .picture(let change) in events {
            for slot in change.released { slots[slot] = nil }
            for item in change.shown { slots[item.slot] = item }
            for place in change.placed {
                slots[place.slot]?.section = place.section
                slots[place.slot]?.item = place.item
                slots[place.slot]?.frame = place.frame
            }
            for rebinding in change.rebound { slots[rebinding.slot]?.content = rebinding.content }
        }
    }

    func show(_ title: String) {
        print(title)
        for item in slots.values.sorted(by: { ($0.section, $0.item) < ($1.section, $1.item) }) {
            let frame = item.frame
            let text = item.content["text"]?.string ?? ""
            print(
                "  slot \(item.slot)  y \(Int(frame.minY))  \(Int(frame.size.width))×\(Int(frame.size.height))  \(text)"
            )
        }
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
        var screen = Screen()
        try adapter.openView(1)
        screen.apply(try adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 320, height: 480)).effects)
        screen.show("The journal, newest first:")

        feed.posts.append(.message(day: 24, user: "you", text: "Still here."))
        adapter.performUpdates()
        for result in adapter.flushNow() { screen.apply(result.events) }
        screen.show("A message comes in:")
    }
}
