// SPDX-License-Identifier: Apache-2.0

/// An item that a view is to be opened at, as it followed the list since.
struct ViewOpening {
    let handle: SectionHandle
    var item: Int
    let position: ScrollPosition
}

extension ListAdapter {
    /// Finds what a view is to be opened at.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    func opening(at place: ListViewOpening) throws(ListError) -> ViewOpening {
        guard let handle = sections.handle(forID: place.objectID) else {
            throw ListError(.noSuchObject, "at: no object \(place.objectID.quoted)")
        }
        guard (0..<sections.itemCount(of: handle)).contains(place.item) else {
            throw ListError(.noSuchItem, "at: \(place.objectID.quoted) has no item \(place.item)")
        }
        return ViewOpening(handle: handle, item: place.item, position: place.position)
    }

    /// Lets what a view is to be opened at follow its item; one that is gone is forgotten.
    func followOpening(of view: ListView, _ forwarding: [SectionHandle: IndexForwarding]) {
        guard let opening = view.opening else { return }
        let item = forwarding[opening.handle].map { $0(opening.item) } ?? opening.item
        guard let item, sections.position(of: opening.handle) != nil, item < sections.itemCount(of: opening.handle)
        else { return view.opening = nil }
        view.opening?.item = item
    }

    /// What a view is to be opened at, once.
    func takeOpening(of view: ListView) -> ViewOpening? {
        defer { view.opening = nil }
        return view.opening
    }

    /// Shows a view for the first time, at what it is to be opened at; `nil` when its viewer is to say where.
    func open(_ view: ListView, size: Size) -> ViewReply? {
        guard let opening = takeOpening(of: view) else { return nil }
        let inset = view.options.contentInset
        view.viewport = Rect(origin: Point(x: -inset.left, y: -inset.top), size: size)
        lastScrolledView = view.id
        prepareLayout(of: view)
        guard let range = scrollRange(of: opening.handle, item: opening.item, in: view) else {
            view.viewport = nil
            return nil
        }
        // Wherever it lies, its viewer has to learn it.
        view.shifts.scroll(sequence: view.picture.sequence + 1)
        view.isOffsetMoved = true
        return scroll(view, to: ScrollTarget(range: range, position: opening.position), tellsControllers: false)
    }
}
