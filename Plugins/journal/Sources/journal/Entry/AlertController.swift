internal import PluginAPI

/// Shows an entry that somebody should look at: `journal/AlertController`, for errors and what is worse.
///
/// Reuse identifiers `alert` (content `title`, the whole message, and `detail`, who says it) and, for what is known of where
/// it comes from, `alert-detail` (`title`, `detail`): unit, process, place in the source, host. Under a header with the
/// priority's name.
final class AlertController: ListBindingSectionController, ListSupplementarySource {
    private static let lineHeight = 19.0
    private static let greatestLineCount = 20

    override init() {
        super.init()
        inset = EdgeInsets(top: 0, left: 0, bottom: 8, right: 0)
        supplementarySource = self
    }

    override func viewModels(for object: ListObject) -> [ListItem] {
        let entry = EntryFields(object)
        let alert = ListItem(
            identity: "message", reuseIdentifier: "alert",
            content: entry.shared.merging([
                "title": .string(entry.message), "detail": .string(entry.senderWithProcess),
            ]))
        let details = [("unit", entry.unit), ("place", entry.place), ("host", object.fields["host"]?.string)]
        return [alert]
            + details.compactMap { name, text in
                guard let text else { return nil }
                return ListItem(
                    identity: name, reuseIdentifier: "alert-detail",
                    content: ["title": .string(name), "detail": .string(text)])
            }
    }

    /// As high as the message has lines, up to a point.
    override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size {
        let width = context?.sectionContainerSize.width ?? 0
        guard index == 0 else { return Size(width: width, height: 24) }
        let lines = viewModel.content["title"]?.string?.split(separator: "\n").count ?? 0
        return Size(width: width, height: 25 + Self.lineHeight * Double(min(max(1, lines), Self.greatestLineCount)))
    }

    // MARK: Header

    var supportedElementKinds: Set<ElementKind> { [.header] }

    func sizeForSupplementaryElement(of kind: ElementKind) -> Size {
        Size(width: context?.sectionContainerSize.width ?? 0, height: 20)
    }

    func supplementaryElement(of kind: ElementKind) -> ListItem {
        ListItem(reuseIdentifier: "priority", content: ["title": .string(object?.type ?? "")])
    }
}
