// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

/// A viewer that keeps only its slots and updates them by the changes of its view.
struct Screen {
    let view: ViewID
    private var mirror: SlotMirror
    private(set) var isStalled = false
    private(set) var isClosed = false

    init(view: ViewID) {
        self.view = view
        mirror = SlotMirror(view: view)
    }

    var sequence: UInt64 { mirror.sequence }
    var revision: UInt64 { mirror.revision }
    var contentSize: Size { mirror.contentSize }
    var offset: Point { mirror.offset }
    var slots: [SlotNumber: PictureItem] { mirror.slots }
    /// The shown items by section, with the header first and the footer last.
    var items: [PictureItem] { mirror.items }

    mutating func receive(_ events: [AdapterEvent]) {
        for event in events {
            switch event {
            case .picture(let change) where change.view == view: apply(change)
            case .stalled(view, let last, _):
                #expect(!isStalled)
                #expect(last == sequence)
                isStalled = true
            case .closed(view): isClosed = true
            default: break
            }
        }
    }

    /// Applies a change, which must fit exactly: the slots that it releases, moves or rebinds exist, the slots that
    /// it shows do not.
    private mutating func apply(_ change: PictureChange) {
        let (before, released) = (Set(slots.keys), Set(change.released))
        let shown = Set(change.shown.map(\.slot))
        #expect(released.isSubset(of: before) && released.count == change.released.count)
        let kept = before.subtracting(released)
        #expect(shown.isDisjoint(with: kept) && shown.count == change.shown.count)
        let after = kept.union(shown)
        #expect(after.isSuperset(of: change.placed.map(\.slot)) && after.isSuperset(of: change.rebound.map(\.slot)))
        #expect(mirror.apply(change) == .applied)
        #expect(Set(slots.keys) == after)
        isStalled = false
    }

    /// Replaces all slots by a picture.
    mutating func replace(with picture: Picture) {
        mirror.replace(with: picture)
        isStalled = false
    }

    /// Checks that the screen equals a resync, which also acknowledges all pictures.
    mutating func expectEqualToResync(of adapter: ListAdapter, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        let picture = try adapter.resync(view: view)
        if !isStalled {
            #expect(picture.sequence == sequence, sourceLocation: sourceLocation)
            #expect(picture.contentSize == contentSize || sequence == 0, sourceLocation: sourceLocation)
            #expect(picture.items == items, sourceLocation: sourceLocation)
        }
        replace(with: picture)
    }
}
