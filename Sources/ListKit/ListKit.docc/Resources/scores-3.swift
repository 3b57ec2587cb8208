import ListKit

final class Scores: ListAdapterDataSource, ListSectionControllerProvider {
    // The adapter is owned here and refers back weakly.
    private lazy var adapter = ListAdapter(configuration: .init(name: "scores"), ownedBy: self)
    private var screen = SlotMirror(view: 1)
    private var points = ["Ada": 0, "Grace": 0, "Linus": 0]

    func open() throws {
        adapter.setDataSource(self)
        try adapter.openView(1)
        let viewport = Rect(x: 0, y: 0, width: 320, height: 480)
        screen.apply(try adapter.setViewport(view: 1, seen: 0, rect: viewport).effects)
    }

    func add(_ more: Int, to name: String) {
        points[name, default: 0] += more
        adapter.performUpdates()
        for result in adapter.flushNow() { screen.apply(result.events) }
    }

    func draw() {
        for item in screen.items {
            print("slot \(item.slot)  y \(item.frame.minY)  \(item.content["text"]?.string ?? "")")
        }
    }

    func objects(for adapter: ListAdapter) -> [ListObject] {
        points.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.compactMap { name, points in
            try? ListObject(id: name, fields: ["points": .int64(Int64(points))])
        }
    }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        ListSectionControllerKind(name: "score") { _ in
            ListSingleSectionController(
                size: { _, context in Size(width: context.containerSize.width, height: 30) },
                configure: { object in
                    let text = "\(object.id): \(object.fields["points"]?.int ?? 0)"
                    return ListItem(reuseIdentifier: "score", content: ["text": .string(text)])
                })
        }
    }
}

let scores = Scores()
try scores.open()
let names = ["Ada", "Grace", "Linus"]
for round in 1...1000 { scores.add(round % 7, to: names[round % 3]) }
scores.draw()
