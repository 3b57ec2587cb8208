// SPDX-License-Identifier: Apache-2.0

// What somebody types who knows IGListKit. A line that ends with an arrow is an error that has the name after it.
import PluginAPI

typealias Controller = ListSectionController
typealias Binding = ListBindingSectionController

final class Renamed: ListSectionController, ListDisplayDelegate, ListWorkingRangeDelegate {
    override func cellForItem(at index: Int) -> ListItem { ListItem(reuseIdentifier: "row") }  // → cellForItem(at:)

    override func didSelectItem(at index: Int) {
        collectionContext?.performBatch(updates: { batch in  // → context
            batch.insert(in: self, at: [0])  // → insertItems(at:in:)
            batch.reload(in: self, at: [0])  // → reloadItems(at:in:)
            batch.reload(self)  // → reloadSection(_:)
        })
        context?.deselectItem(at: index, sectionController: self, animated: true)  // → deselectItem(at:)
        _ = context?.index(for: self)  // → index
        _ = context?.section(for: self)  // → has object
        _ = context?.visibleIndexPaths(for: self)  // → visibleIndexes
        context?.scroll(to: self, at: index, scrollPosition: .start, animated: true)  // → scrollToItem(at:position:)
        inset = UIEdgeInsets(top: 0, left: 0, bottom: 10, right: 0)  // → EdgeInsets
        _ = IndexSet(integer: index)  // → pass an array of indexes
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

final class Header: ListSectionController, ListSupplementaryViewSource {  // → ListSupplementarySource
    override init() {
        super.init()
        supplementaryViewSource = self  // → supplementarySource
    }
    override func sizeForItem(at index: Int) -> CGSize { .zero }  // → Size
    func viewForSupplementaryElement(ofKind kind: String, at index: Int) -> ListItem {  // → viewForSupplementaryElement
        ListItem(reuseIdentifier: "header")
    }
    func cell() -> UICollectionViewCell { ListItem(reuseIdentifier: "row") }  // → ListItem
}

final class Bound: ListBindingSectionController {
    override init() {
        super.init()
        dataSource = self  // → viewModels(for:)
    }
    func sectionController(_ one: Binding, viewModelsFor object: ListObject) -> [ListItem] { [] }  // → viewModelsFor
    func sectionController(_ one: Binding, sizeForViewModel item: ListItem, at: Int) -> Size {  // → sizeForViewModel
        .zero
    }
}
