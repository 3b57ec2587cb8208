// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

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
