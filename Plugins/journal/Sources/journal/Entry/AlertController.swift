// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Shows an entry that somebody should read: `journal/AlertController`, for priority err and more important ones.
///
/// Reuse identifiers: `alert` (content `title`, the whole message, and `detail`, the origin); for each known unit,
/// source location and host `alert-detail` (`title`, `detail`); then `alert-explanation` (`title`, `detail`), the text
/// of systemd's message catalog. The header has the priority's name.
///
/// The catalog is on the disk: a task reads it when the section comes near the screen, so that the explanation is there
/// in time, and the list does not wait for it.
final class AlertController: ListBindingSectionController, ListSupplementarySource, ListWorkingRangeDelegate,
    ListDisplayDelegate
{
    private static let lineHeight = 19.0
    private static let greatestLineCount = 20

    private let explain: @Sendable (String) -> MessageCatalog?
    private var explanation: MessageCatalog?
    private var explaining: Task<Void, Never>?

    init(explain: @escaping @Sendable (String) -> MessageCatalog? = MessageCatalog.find) {
        self.explain = explain
        super.init()
        inset = EdgeInsets(top: 0, left: 0, bottom: 8, right: 0)
        supplementarySource = self
        workingRangeDelegate = self
        displayDelegate = self
    }

    deinit { explaining?.cancel() }

    override func viewModels(for object: ListObject) -> [ListItem] {
        let entry = EntryFields(object)
        let alert = ListItem(
            identity: "message", reuseIdentifier: "alert",
            content: entry.shared.merging([
                "title": .string(entry.message), "detail": .string(entry.senderWithProcess),
            ]))
        let places = [("unit", entry.unit), ("place", entry.place), ("host", object.fields["host"]?.string)]
        let details = places.compactMap { name, text in
            text.map { detail(name, "alert-detail", title: name, $0) }
        }
        let explanations = explanation.map { $0.filledIn(entry.catalogValues) }
            .map { [detail("explanation", "alert-explanation", title: $0.subject, $0.text)] }
        return [alert] + details + (explanations ?? [])
    }

    private func detail(_ identity: String, _ reuseIdentifier: String, title: String, _ text: String) -> ListItem {
        ListItem(
            identity: identity, reuseIdentifier: reuseIdentifier,
            content: ["title": .string(title), "detail": .string(text)])
    }

    /// As high as the lines of the message, up to a maximum.
    override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size {
        let width = context?.sectionContainerSize.width ?? 0
        if viewModel.reuseIdentifier == "alert-detail" { return Size(width: width, height: 24) }
        let key = viewModel.reuseIdentifier == "alert" ? "title" : "detail"
        let lines = viewModel.content[key]?.string?.split(separator: "\n").count ?? 0
        return Size(width: width, height: 25 + Self.lineHeight * Double(min(max(1, lines), Self.greatestLineCount)))
    }

    // MARK: Explanation

    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) { prepare() }

    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) { stopPreparing() }

    // For lists without a working range, which report no entry into it.
    func sectionControllerWillDisplay(_ controller: ListSectionController) { prepare() }

    private func prepare() {
        guard explanation == nil, explaining == nil, let id = object.flatMap({ EntryFields($0).messageID }) else {
            return
        }
        let section = ListSectionControllerReference(self)
        explaining = Task.detached { [explain] in
            guard let found = explain(id), !Task.isCancelled else { return }
            section.perform { $0.show(found) }
        }
    }

    private func stopPreparing() {
        explaining?.cancel()
        explaining = nil
    }

    private func show(_ explanation: MessageCatalog) {
        self.explanation = explanation
        update()
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
