// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Shows an entry that somebody should read: `journal/AlertController`, for priority err and more important ones.
///
/// Reuse identifiers: `alert` (content `title`, the whole message, and `detail`, the origin); `alert-detail`
/// (`title`, `detail`) for each of unit, source location and host that is known; `alert-explanation` (`title`,
/// `detail`) for the text of systemd's message catalog. The header has the priority's name.
///
/// The catalog is on disk. A task reads the explanation when the section enters the working range, so that it is
/// ready before the section is visible and the list does not wait for the disk.
final class AlertController: ListBindingSectionController, ListSupplementarySource, ListWorkingRangeDelegate,
    ListDisplayDelegate
{
    private static let lineHeight = 19.0
    private static let maximumLineCount = 20

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
            text.map { detailItem(name, reuseIdentifier: "alert-detail", title: name, text: $0) }
        }
        let explanations = explanation.map { $0.replacingPlaceholders(with: entry.catalogValues) }
            .map { [detailItem("explanation", reuseIdentifier: "alert-explanation", title: $0.subject, text: $0.text)] }
        return [alert] + details + (explanations ?? [])
    }

    private func detailItem(_ identity: String, reuseIdentifier: String, title: String, text: String) -> ListItem {
        ListItem(
            identity: identity, reuseIdentifier: reuseIdentifier,
            content: ["title": .string(title), "detail": .string(text)])
    }

    /// Returns a size that fits the lines of the message, up to ``maximumLineCount``.
    override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size {
        let width = context?.sectionContainerSize.width ?? 0
        if viewModel.reuseIdentifier == "alert-detail" { return Size(width: width, height: 24) }
        let key = viewModel.reuseIdentifier == "alert" ? "title" : "detail"
        let lines = viewModel.content[key]?.string?.split(separator: "\n").count ?? 0
        return Size(width: width, height: 25 + Self.lineHeight * Double(min(max(1, lines), Self.maximumLineCount)))
    }

    // MARK: Explanation

    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) { loadExplanation() }

    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) { cancelLoading() }

    // A list without a working range never calls sectionControllerWillEnterWorkingRange.
    func sectionControllerWillDisplay(_ controller: ListSectionController) { loadExplanation() }

    private func loadExplanation() {
        guard explanation == nil, explaining == nil, let id = object.flatMap({ EntryFields($0).messageID }) else {
            return
        }
        let section = ListSectionControllerReference(self)
        explaining = Task.detached { [explain] in
            guard let found = explain(id), !Task.isCancelled else { return }
            section.perform { $0.show(found) }
        }
    }

    private func cancelLoading() {
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
