// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

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
