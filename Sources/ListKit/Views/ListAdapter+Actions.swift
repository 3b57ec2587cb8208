// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// A viewer invokes an action on an item: the section controller may handle it.
    ///
    /// - Returns: whether the section controller has handled it; a section at fault handles nothing.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func invoke(
        _ action: String, parameters: Fields = Fields(), item: Int, ofObject id: String
    ) throws(ListError) -> (handled: Bool, events: [AdapterEvent]) {
        let handle = try handle(ofItem: item, of: id)
        guard let controller = controller(of: handle) else {
            return (false, settled())
        }
        let isHandled = call(.action, handle) {
            controller.handleAction(action, parameters: parameters, at: item)
        }
        return (isHandled, settled())
    }
}
