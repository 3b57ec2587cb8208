// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A view of a list in the axes of the terminal.
@DBusActor
struct TerminalView {
    /// The view in the axes of the list.
    let view: ListViewClient
    private let axis: Axis

    /// Opens a view whose pictures are in the axes of the terminal. A list with the layout `none` gets the layout
    /// `flow` in this view.
    static func open(
        _ adapter: RemoteObject, onEvent: @escaping @DBusActor (ListViewClient.Event) -> Void
    ) async throws(DBusError) -> TerminalView {
        let options = try await adapter.property("Options", as: [String: DBusValue].self)
        let text = { (key: String) in options[key].flatMap(ItemText.plain) }
        let axis = text("direction") == "horizontal" ? Axis.horizontal : .vertical
        let layout: [String: DBusValue] = text("layout") == "none" ? ["layout": .string("flow")] : [:]
        let view = try await ListViewClient.open(adapter, options: layout) { event in
            if case .changed(let picture) = event { return onEvent(.changed(axis.terminalPicture(of: picture))) }
            onEvent(event)
        }
        return TerminalView(view: view, axis: axis)
    }

    /// Sets the viewport. `body` is called when the picture of that viewport has arrived.
    func setViewport(y: Double, width: Double, height: Double, then body: @escaping @DBusActor () -> Void) {
        let viewport = axis.viewport(y: y, width: width, height: height)
        view.setViewport(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height)
        view.whenAnswered(body)
    }
}
