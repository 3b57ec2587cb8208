// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Shows one entry of the journal in a row: `journal/EntryController`, and, smaller, `journal/DebugController`.
///
/// The reuse identifier is `entry` or `entry-compact`. The content has `title` (the message's first line), `detail`
/// (the origin), `age` (`now`, `3 min`, …), and `time`, `priority`, `unit` as in the object. Only a visible row has
/// a timer that updates its age.
final class EntryController: ListBindingSingleSectionController, ListDisplayDelegate {
    /// The size of an entry's row.
    enum Style {
        case row
        case compact
    }

    private let style: Style
    private let now: () -> Int64
    private var timer: ListTimer?

    init(style: Style, now: @escaping () -> Int64 = Age.now) {
        self.style = style
        self.now = now
        super.init()
        displayDelegate = self
    }

    override func item(for object: ListObject) -> ListItem {
        let entry = EntryFields(object)
        return ListItem(
            reuseIdentifier: style == .row ? "entry" : "entry-compact",
            content: entry.shared.merging([
                "title": .string(entry.firstLine), "detail": .string(entry.senderWithProcess),
                "age": .string(Age(of: entry.time, at: now()).text),
            ]))
    }

    override func size(for object: ListObject) -> Size {
        Size(width: context?.sectionContainerSize.width ?? 0, height: style == .row ? 44 : 24)
    }

    // MARK: Age

    func sectionControllerWillDisplay(_ controller: ListSectionController) { scheduleAgeUpdate() }

    func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {
        timer?.cancel()
        timer = nil
    }

    private func scheduleAgeUpdate() {
        guard let object else { return }
        let age = Age(of: EntryFields(object).time, at: now())
        timer = context?.after(age.untilChange) { [unowned self] in
            context?.performBatch(updates: { $0.reloadItems(at: [0]) })
            scheduleAgeUpdate()
        }
    }
}
