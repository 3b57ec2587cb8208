// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// What a header tells of an entry of the feed.
protocol FeedModel: ListModel {
    var title: String { get }
    var date: Date { get }
}

extension Note: FeedModel {
    var title: String { author }
}

extension Weather: FeedModel {
    var title: String { "Weather" }
}

/// Shows an entry of the feed, below a header if the setting `Headings` says so.
///
/// The header has the reuse identifier `heading` and the content `title` (who wrote the entry, or `Weather`), `kind`, `sol` and
/// `date`.
class FeedSectionController<Model: FeedModel>: ListGenericSectionController<Model>, ListSupplementarySource {
    private static var headerHeight: Double { 52 }

    let calendar: SolCalendar
    let hasHeading: Bool

    init(calendar: SolCalendar, hasHeading: Bool) {
        self.calendar = calendar
        self.hasHeading = hasHeading
        super.init()
        inset = EdgeInsets(top: 0, left: 0, bottom: 15, right: 0)
        if hasHeading { supplementarySource = self }
    }

    // MARK: Header

    final var supportedElementKinds: Set<ElementKind> { model == nil ? [] : [.header] }

    final func sizeForSupplementaryElement(of kind: ElementKind) -> Size {
        Size(width: context?.sectionContainerSize.width ?? 0, height: Self.headerHeight)
    }

    final func supplementaryElement(of kind: ElementKind) -> ListItem {
        guard let model else { return ListItem(reuseIdentifier: "heading") }
        return ListItem(
            reuseIdentifier: "heading",
            content: [
                "title": .string(model.title), "kind": .string(Model.listType),
                "sol": .int64(Int64(calendar.sol(of: model.date))), "date": model.date.value,
            ])
    }
}
