// SPDX-License-Identifier: Apache-2.0

import ListKit

/// The section controller of a journal entry: an item with the date, one with the text, and 15 points behind.
final class JournalController: ListGenericSectionController<JournalEntry> {
    init(_ context: ListCollectionContext) {
        super.init()
        let isVertical = context.scrollDirection == .vertical
        inset = EdgeInsets(top: 0, left: 0, bottom: isVertical ? 15 : 0, right: isVertical ? 0 : 15)
    }

    override func numberOfItems() -> Int { 2 }

    override func sizeForItem(at index: Int) -> Size {
        let width = context?.containerSize.width ?? 0
        let lines = ((model?.text.count ?? 0) + 31) / 32
        return Size(width: width, height: index == 0 ? 30 : Double(max(1, lines)) * 20)
    }

    override func item(at index: Int) -> ListItem {
        index == 0
            ? ListItem(reuseIdentifier: "date", content: ["text": "SOL \(model?.day ?? 0)"])
            : ListItem(reuseIdentifier: "entry", content: ["text": .string(model?.text ?? "")])
    }
}

/// A journal entry as a Swift value.
struct JournalEntry: ListModel {
    let day: Int
    let text: String

    init(_ object: ListObject) throws(ListError) {
        guard let day = object.fields["day"]?.int, let text = object.fields["text"]?.string else {
            throw ListError(.invalidObject, "a journal entry without day or text")
        }
        (self.day, self.text) = (day, text)
    }

    static var listType: String { "journal" }
    var listIdentifier: String { "journal \(day)" }
    var listFields: Fields { ["day": .int64(Int64(day)), "text": .string(text)] }
}

/// Returns a section controller for an object with a single item, such as a message or the weather.
func singleItemController(height: Double, text: @escaping (Fields) -> String) -> ListSingleSectionController {
    ListSingleSectionController(
        size: { _, context in Size(width: context.containerSize.width, height: height) },
        configure: { ListItem(reuseIdentifier: $0.type, content: ["text": .string(text($0.fields))]) })
}

/// Maps types of objects to section controllers.
final class Controllers: ListSectionControllerProvider {
    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        switch type {
        case "journal": ListSectionControllerKind(name: "journal") { _, context in JournalController(context) }
        case "message":
            ListSectionControllerKind(name: "message") { _ in
                singleItemController(height: 44) { "\($0["user"]?.string ?? ""): \($0["text"]?.string ?? "")" }
            }
        case "weather":
            ListSectionControllerKind(name: "weather") { _ in
                singleItemController(height: 24) { "Weather: \($0["forecast"]?.string ?? "")" }
            }
        default: nil
        }
    }
}
