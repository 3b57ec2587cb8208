// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit

/// Records the callbacks of a test's section controllers, in order.
final class EventList {
    private(set) var lines: [String] = []

    func record(_ line: String) { lines.append(line) }

    func drain() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// A provider that creates controllers with a closure. Types in `missing` have no controller.
final class ScriptedProvider: ListSectionControllerProvider {
    var missing: Set<String> = []
    private let make: (ListObject) -> ListSectionController

    init(_ make: @escaping (ListObject) -> ListSectionController) { self.make = make }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        missing.contains(type) ? nil : ListSectionControllerKind(name: "test/\(type)", make: make)
    }
}

/// A section controller whose items are the letters of the field `items`. It records its callbacks.
class LetterController: ListSectionController, ListDisplayDelegate, ListWorkingRangeDelegate {
    private(set) var object: ListObject?
    var letters: [String] = []
    var onUpdate: ((LetterController) -> Void)?
    var onItem: ((LetterController, Int) -> Void)?
    var height = 10.0
    let log: EventList

    init(log: EventList) {
        self.log = log
        super.init()
        displayDelegate = self
        workingRangeDelegate = self
    }

    var id: String { object?.id ?? "?" }

    override func didUpdate(to object: ListObject) {
        self.object = object
        letters = (object.fields["items"]?.string ?? "").map { String($0) }
        log.record("update \(object.id)@\(section.map(String.init) ?? "-")")
        onUpdate?(self)
    }

    override func numberOfItems() -> Int { letters.count }

    override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: height) }

    override func item(at index: Int) -> ListItem {
        onItem?(self, index)
        let letter = letters.indices.contains(index) ? letters[index] : "none"
        return ListItem(reuseIdentifier: "letter", content: ["letter": .string(letter)])
    }

    override func didSelectItem(at index: Int) { log.record("select \(id).\(index)") }
    override func didDeselectItem(at index: Int) { log.record("deselect \(id).\(index)") }
    override func didHighlightItem(at index: Int) { log.record("highlight \(id).\(index)") }
    override func didUnhighlightItem(at index: Int) { log.record("unhighlight \(id).\(index)") }

    func sectionControllerWillDisplay(_ controller: ListSectionController) { log.record("will \(id)") }
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController) { log.record("end \(id)") }
    func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
        log.record("will \(id).\(index)")
    }
    func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {
        log.record("end \(id).\(index)")
    }
    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) { log.record("enter \(id)") }
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) { log.record("exit \(id)") }
}

/// Creates an object for `LetterController` from its identifier and letters, such as `a:xyz`.
func letters(_ text: String, type: String = "letters") throws -> ListObject {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return try ListObject(
        id: String(parts[0]), type: type, fields: ["items": .string(parts.count > 1 ? String(parts[1]) : "")])
}

extension TestHost {
    /// Creates a list of letter sections.
    static func letters(
        _ texts: String..., log: EventList = EventList(),
        prepare: @escaping (LetterController) -> Void = { _ in },
        configure: (inout ListOptions) -> Void = { _ in }
    ) throws -> TestHost {
        let provider = ScriptedProvider { _ in
            let controller = LetterController(log: log)
            prepare(controller)
            return controller
        }
        provider.missing = ["none"]
        return TestHost(try texts.map { try ListKitTests.letters($0) }, provider: provider, configure: configure)
    }

    func controller(_ id: String) -> LetterController? {
        adapter.sectionController(forID: id) as? LetterController
    }

    /// Opens view 1 with a 100 × 100 viewport without buffer, and returns its screen after the first picture.
    func open(_ id: ViewID = 1, y: Double = 0, configure: (inout ListViewOptions) -> Void = { _ in }) throws -> Screen {
        var options = ListViewOptions()
        options.buffer = 0
        configure(&options)
        try adapter.openView(id, options: options)
        var screen = Screen(view: id)
        let reply = try adapter.setViewport(view: id, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 100))
        receive(reply)
        screen.receive(reply.effects)
        return screen
    }
}
