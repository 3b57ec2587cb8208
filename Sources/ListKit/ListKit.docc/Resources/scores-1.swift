import ListKit

final class Scores: ListAdapterDataSource, ListSectionControllerProvider {
    private var points = ["Ada": 0, "Grace": 0, "Linus": 0]

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
