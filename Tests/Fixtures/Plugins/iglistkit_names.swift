// SPDX-License-Identifier: Apache-2.0

// What somebody types who knows IGListKit. A line that ends with an arrow is an error that has the name after it.
import PluginAPI

typealias Controller = ListSectionController

final class Renamed: ListSectionController, ListDisplayDelegate, ListWorkingRangeDelegate {
    override func cellForItem(at index: Int) -> ListItem { ListItem(reuseIdentifier: "row") }  // → cellForItem(at:)

    override func didSelectItem(at index: Int) {
        collectionContext?.performBatch(updates: { batch in  // → context
            batch.insert(in: self, at: [0])  // → insertItems(at:in:)
            batch.reload(in: self, at: [0])  // → reloadItems(at:in:)
            batch.reload(self)  // → reloadSection(_:)
        })
        context?.deselectItem(at: index, sectionController: self, animated: true)  // → deselectItem(at:)
    }

    func listAdapter(_ adapter: ListAdapter, willDisplay controller: Controller) {}  // → listAdapter(_:willDisplay:)
    func listAdapter(_ list: ListAdapter, didEndDisplaying one: Controller) {}  // → listAdapter(_:didEndDisplaying:)
    func listAdapter(
        _ adapter: ListAdapter, sectionControllerWillEnterWorkingRange controller: ListSectionController
    ) {}
}

final class Defined: ListSectionController {
    func cellForItem(at index: Int) -> ListItem { ListItem(reuseIdentifier: "row") }  // → cellForItem(at:)
}
