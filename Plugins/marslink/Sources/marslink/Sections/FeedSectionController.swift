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

/// Shows a journal entry: an item with the sol, unless a header has it, and one with the text.
///
/// Reuse identifiers `journal-date` (content `title`, `sol`, `date`) and `journal-text` (`text`, `author`).
final class JournalSectionController: FeedSectionController<JournalEntry> {
    override func numberOfItems() -> Int { hasHeading ? 1 : 2 }

    private func isText(_ index: Int) -> Bool { index == numberOfItems() - 1 }

    override func sizeForItem(at index: Int) -> Size {
        let width = context?.sectionContainerSize.width ?? 0
        guard isText(index), let model else { return Size(width: width, height: 30) }
        return Size(width: width, height: TextSize.height(of: model.text, width: width))
    }

    override func item(at index: Int) -> ListItem {
        guard let model else { return ListItem(reuseIdentifier: "journal-date") }
        if isText(index) {
            return ListItem(
                identity: "text", reuseIdentifier: "journal-text",
                content: ["text": .string(model.text), "author": .string(model.author)])
        }
        let sol = calendar.sol(of: model.date)
        return ListItem(
            identity: "date", reuseIdentifier: "journal-date",
            content: ["title": .string("SOL \(sol)"), "sol": .int64(Int64(sol)), "date": model.date.value])
    }
}

/// Shows a message. Selecting it marks it as read, for as long as the message exists. The actions `read` and
/// `unread`, for a button in the cell, change this state too.
///
/// The reuse identifier is `message`. The content has `title` (the author), `text`, `date`, `read`, and `actions`, the
/// names of the actions that the message offers now.
final class MessageSectionController: FeedSectionController<Message> {
    /// Whether the message was read, stored in the list's state: a reload creates new section controllers.
    private var isRead: Bool {
        get { context?.state["read"]?.bool ?? false }
        set { context?.state["read"] = .boolean(newValue) }
    }

    override func sizeForItem(at index: Int) -> Size {
        let width = context?.sectionContainerSize.width ?? 0
        return Size(width: width, height: 30 + TextSize.height(of: model?.text ?? "", width: width))
    }

    override func item(at index: Int) -> ListItem {
        guard let model else { return ListItem(reuseIdentifier: "message") }
        return ListItem(
            reuseIdentifier: "message",
            content: [
                "title": .string(model.author.uppercased()), "text": .string(model.text), "date": model.date.value,
                "read": .boolean(isRead), "actions": .array(element: "s", [.string(isRead ? "unread" : "read")]),
            ])
    }

    override func didSelectItem(at index: Int) {
        context?.deselectItem(at: index)
        setRead(true)
    }

    override func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool {
        switch action {
        case "read": setRead(true)
        case "unread": setRead(false)
        default: return false
        }
        return true
    }

    private func setRead(_ isRead: Bool) {
        guard isRead != self.isRead else { return }
        context?.performBatch(updates: { batch in
            self.isRead = isRead
            batch.reloadItems(at: [0])
        })
    }
}

/// Counts Martian days: sols, 24 hours and 37 minutes long (the tutorial's SolFormatter).
struct SolCalendar: Sendable {
    private static let sol = 1477.0 * 60

    let landing: Date

    /// Returns the number of the sol at a time; the sol of the landing is 0.
    func sol(of date: Date) -> Int {
        let sols = (date.timeIntervalSince(landing) / Self.sol).rounded(.down)
        return Int(exactly: sols) ?? 0
    }
}

/// Estimates the height of a text without knowing the font: all characters have one width, and lines break between
/// words.
///
/// A viewer that knows its font reports measured sizes instead.
enum TextSize {
    private static let letterWidth = 7.5
    private static let lineHeight = 19.0
    private static let padding = 16.0

    /// Returns the height of a text in a row of the given width, including padding.
    static func height(of text: String, width: Double) -> Double {
        let characters = ((width - 2 * padding) / letterWidth).rounded(.down)
        return Double(lineCount(of: text, charactersPerLine: Int(exactly: max(1, characters)) ?? 1)) * lineHeight
            + padding
    }

    /// Returns the number of lines of a text. A word that is longer than a line is broken.
    static func lineCount(of text: String, charactersPerLine: Int) -> Int {
        var lines = 1
        var used = 0
        for word in text.split(separator: " ") {
            var count = word.count
            if used > 0 {
                if used + 1 + count <= charactersPerLine {
                    used += 1 + count
                    continue
                }
                lines += 1
            }
            while count > charactersPerLine {
                count -= charactersPerLine
                lines += 1
            }
            used = count
        }
        return lines
    }
}
