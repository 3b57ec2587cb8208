// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Shows the weather: a summary and, after a tap, four details, which can be dragged into another order.
///
/// Reuse identifiers are `weather` (content `title`, `detail`, `condition`, `expanded`) and `weather-detail`
/// (`title`, `detail`). The list's state stores whether the section is expanded, and the order of the details.
final class WeatherSectionController: FeedSectionController<Weather> {
    private enum Detail: String, CaseIterable { case sunrise, sunset, high, low }

    private var isExpanded = false
    private var details = Detail.allCases

    override func didUpdate(to object: ListObject) {
        super.didUpdate(to: object)
        guard let state = context?.state else { return }
        isExpanded = state["expanded"]?.bool ?? false
        let order = (state["order"]?.array ?? []).compactMap(\.string).compactMap(Detail.init)
        if Set(order) == Set(Detail.allCases) { details = order }
    }

    private func storeState() {
        context?.state = [
            "expanded": .boolean(isExpanded), "order": .array(element: "s", details.map { .string($0.rawValue) }),
        ]
    }

    // MARK: Items

    override func numberOfItems() -> Int { isExpanded ? 1 + details.count : 1 }

    override func sizeForItem(at index: Int) -> Size {
        Size(width: context?.sectionContainerSize.width ?? 0, height: index == 0 ? 70 : 30)
    }

    override func item(at index: Int) -> ListItem {
        guard let model else { return ListItem(reuseIdentifier: "weather") }
        guard index > 0, details.indices.contains(index - 1) else { return summary(of: model) }
        let detail = details[index - 1]
        return ListItem(
            identity: detail.rawValue, reuseIdentifier: "weather-detail",
            content: ["title": .string(detail.rawValue.uppercased()), "detail": .string(text(of: detail, in: model))])
    }

    private func summary(of weather: Weather) -> ListItem {
        ListItem(
            identity: "summary", reuseIdentifier: "weather",
            content: [
                "title": .string("WEATHER, SOL \(calendar.sol(of: weather.date))"),
                "detail": .string("\(weather.low) °C to \(weather.high) °C, \(weather.condition)"),
                "condition": .string(weather.condition), "expanded": .boolean(isExpanded),
            ])
    }

    private func text(of detail: Detail, in weather: Weather) -> String {
        switch detail {
        case .sunrise: weather.sunrise
        case .sunset: weather.sunset
        case .high: "\(weather.high) °C"
        case .low: "\(weather.low) °C"
        }
    }

    // MARK: Selection

    override func shouldSelectItem(at index: Int) -> Bool { index == 0 }

    override func didSelectItem(at index: Int) {
        context?.deselectItem(at: index)
        context?.performBatch(updates: { batch in
            self.isExpanded.toggle()
            self.storeState()
            let rows = Array(1...self.details.count)
            if self.isExpanded { batch.insertItems(at: rows) } else { batch.deleteItems(at: rows) }
            batch.reloadItems(at: [0])
        })
    }

    // MARK: Reordering

    override func canMoveItem(at index: Int) -> Bool { index > 0 }

    override func canMoveItem(from source: Int, to destination: Int) -> Bool { source > 0 && destination > 0 }

    override func moveItem(from source: Int, to destination: Int) {
        guard details.indices.contains(source - 1), details.indices.contains(destination - 1) else { return }
        details.insert(details.remove(at: source - 1), at: destination - 1)
        storeState()
    }
}
