// SPDX-License-Identifier: Apache-2.0

extension SectionStore {
    /// Makes a call that notifies a section controller of a change in a view.
    func perform(_ call: ControllerCall) {
        let controller: ListSectionController? =
            switch call.receiver {
            case .made: controller(of: call.handle)
            case .existing: existingController(of: call.handle)
            case .former(let controller): controller
            case .nobody: nil
            }
        guard let controller else { return }
        switch call.message {
        case .willDisplayItem(let index):
            notify(controller, call, .display) { $0.sectionController(controller, willDisplayItemAt: index) }
        case .didEndDisplayingItem(let index):
            notify(controller, call, .endDisplay) { $0.sectionController(controller, didEndDisplayingItemAt: index) }
        case .willDisplay: notify(controller, call, .display) { $0.sectionControllerWillDisplay(controller) }
        case .didEndDisplaying:
            notify(controller, call, .endDisplay) { $0.sectionControllerDidEndDisplaying(controller) }
        case .willEnterRange:
            guard let delegate = controller.workingRangeDelegate else { return }
            gate.call(.workingRange, call.handle, in: self) {
                delegate.sectionControllerWillEnterWorkingRange(controller)
            }
        case .didExitRange:
            guard let delegate = controller.workingRangeDelegate else { return }
            gate.call(.workingRange, call.handle, in: self) {
                delegate.sectionControllerDidExitWorkingRange(controller)
            }
        case .didScroll(let event):
            guard let delegate = controller.scrollDelegate else { return }
            gate.call(.scroll, call.handle, in: self) { delegate.sectionController(controller, didScroll: event) }
        }
    }

    private func notify(
        _ controller: ListSectionController, _ call: ControllerCall, _ callback: ListControllerCall.Callback,
        _ message: (any ListDisplayDelegate) -> Void
    ) {
        guard let delegate = controller.displayDelegate else { return }
        gate.call(callback, call.handle, in: self) { message(delegate) }
    }

    /// Returns the arguments for the adapter's own delegates, or `nil` if they are not notified of a call.
    func announcement(of call: ControllerCall) -> (object: ListObject, section: Int, item: Int?, appears: Bool)? {
        guard let section = call.section else { return nil }
        let (item, appears): (Int?, Bool)
        switch call.message {
        case .willDisplayItem(let index): (item, appears) = (index, true)
        case .didEndDisplayingItem(let index): (item, appears) = (index, false)
        case .willDisplay: (item, appears) = (nil, true)
        case .didEndDisplaying: (item, appears) = (nil, false)
        case .willEnterRange, .didExitRange, .didScroll: return nil
        }
        let object = appears ? map.object(of: call.handle) : map.oldObject(of: call.handle)
        return object.map { ($0, section, item, appears) }
    }
}
