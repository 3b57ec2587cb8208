// SPDX-License-Identifier: Apache-2.0

/// What goes on in a list, in words.
extension ListAdapter {
    /// The list, its updater, its section controllers and its views, a line for each; what a dump shows.
    public var debugDescriptionLines: [String] {
        ["adapter \(configuration.name.debugDescription)"]
            + (stateLines + updaterLines + mapLines + viewLines).map { "  " + $0 }
    }

    private var stateLines: [String] {
        [
            "revision \(revision), \(objectCount) objects, \(itemCount) items, \(selectedItems.count) selected",
            "data source: \(dataSource.map { "\(type(of: $0))" } ?? "none"), delegate: "
                + (delegate.map { "\(type(of: $0))" } ?? "none"),
            "layout \(configuration.layout.rawValue), \(configuration.direction.rawValue), working range "
                + "\(configuration.workingRange)",
        ]
    }

    /// The updater's options and state (rule DB-02).
    private var updaterLines: [String] {
        let state =
            switch flush {
            case .idle: "idle"
            case .diffing(let flush, _): "diffing (\(flush.verdicts.count) requests)"
            case .prepared(let flush): "storing (\(flush.verdicts.count) requests, \(flush.changes.count) changes)"
            case .applying: "applying"
            }
        return [
            "updater \(configuration.updater.rawValue): \(state), \(queue.count) waiting, flush \(flushTiming)",
            "  moves as deletes and inserts: \(configuration.sectionMovesAsDeletesInserts), prefers item reloads: "
                + "\(configuration.preferItemReloads), single items: \(configuration.singleItemSectionUpdates), "
                + "minimal moves: \(configuration.minimalMoves), reload threshold: \(configuration.reloadThreshold)",
        ]
    }

    /// The section controllers that exist, and the sections at fault (rule DB-01).
    private var mapLines: [String] {
        let controllers = registry.controllers.sorted { $0.key < $1.key }.prefix(ListAdapter.maximumDescriptions)
        var lines = [
            "\(registry.controllers.count) section controllers, \(registry.transient.count) of them for now, "
                + "\(sections.handleCount) sections noticed"
        ]
        lines += controllers.map { handle, controller in
            let section = sections.position(of: handle).map(String.init) ?? "none"
            return "  section \(section) \(id(of: handle).debugDescription): \(type(of: controller)), "
                + "\(sections.itemCount(of: handle)) items"
        }
        lines += registry.faults.sorted { $0.key < $1.key }.prefix(ListAdapter.maximumDescriptions).map {
            "  fault of \(id(of: $0).debugDescription): \($1)"
        }
        return lines
    }

    private var viewLines: [String] {
        views.map { view in
            let viewport = view.viewport ?? .zero
            let state = view.credit.isStalled ? "stalled" : view.isActive ? "active" : "new"
            return "view \(view.id): \(view.layoutKind.rawValue), \(state), sequence \(view.picture.sequence), "
                + "acknowledged \(view.credit.acknowledged), viewport \(viewport.minX),\(viewport.minY) "
                + "\(viewport.size.width)×\(viewport.size.height), content \(view.contentSize.width)×"
                + "\(view.contentSize.height), \(view.elements.count) elements, \(view.slots.count) slots, range "
                + "\(view.workingRange)"
        }
    }

    /// The most controllers, and the most faults, that a description lists.
    private static let maximumDescriptions = 100
}

/// Knows the living adapters that were given to it, weakly (rules DB-04, DB-05).
public final class ListDebugger {
    private var adapters = WeakList<ListAdapter>()

    /// Makes a debugger that knows no adapter.
    public init() {}

    /// Takes notice of an adapter.
    public func track(_ adapter: ListAdapter) { adapters.add(adapter) }

    /// Forgets all adapters.
    public func clear() { adapters = WeakList() }

    /// The lines of each living adapter.
    public var descriptions: [[String]] { adapters.elements.map(\.debugDescriptionLines) }

    /// All of it in one text.
    public var dump: String { descriptions.joined().joined(separator: "\n") }
}
