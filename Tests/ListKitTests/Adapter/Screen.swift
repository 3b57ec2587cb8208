@_spi(Daemon) import ListKit
import Testing

/// A viewer that keeps nothing but its slots, and follows its view by the changes that it is sent.
struct Screen {
    let view: ViewID
    private(set) var sequence: UInt64 = 0
    private(set) var revision: UInt64 = 0
    private(set) var contentSize = Size.zero
    private(set) var offset = Point.zero
    private(set) var slots: [SlotNumber: PictureItem] = [:]
    private(set) var isStalled = false
    private(set) var isClosed = false

    init(view: ViewID) { self.view = view }

    mutating func take(_ events: [AdapterEvent]) {
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

    private mutating func apply(_ change: PictureChange) {
        #expect(change.sequence == sequence + 1)
        sequence = change.sequence
        revision = change.revision
        contentSize = change.contentSize
        offset = change.offset
        isStalled = false
        for slot in change.released { #expect(slots.removeValue(forKey: slot) != nil) }
        for item in change.shown { #expect(slots.updateValue(item, forKey: item.slot) == nil) }
        for place in change.placed {
            #expect(slots[place.slot] != nil)
            slots[place.slot]?.section = place.section
            slots[place.slot]?.item = place.item
            slots[place.slot]?.frame = place.frame
            slots[place.slot]?.z = place.z
        }
        for rebinding in change.rebound {
            #expect(slots[rebinding.slot] != nil)
            slots[rebinding.slot]?.content = rebinding.content
        }
    }

    /// The items by section, header first and footer last.
    var items: [PictureItem] {
        slots.values.sorted { first, second in
            func order(_ kind: ElementKind) -> Int { kind == .header ? 0 : kind == .cell ? 1 : 2 }
            return (first.section, order(first.kind), first.item) < (second.section, order(second.kind), second.item)
        }
    }

    /// Whether the screen shows what a resync says; the resync acknowledges everything.
    mutating func expectEqualToResync(of adapter: ListAdapter, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        let picture = try adapter.resync(view: view)
        if !isStalled {
            #expect(picture.sequence == sequence, sourceLocation: sourceLocation)
            #expect(picture.contentSize == contentSize || sequence == 0, sourceLocation: sourceLocation)
            #expect(picture.items == items, sourceLocation: sourceLocation)
        }
        sequence = picture.sequence
        contentSize = picture.contentSize
        offset = picture.offset
        slots = Dictionary(uniqueKeysWithValues: picture.items.map { ($0.slot, $0) })
        isStalled = false
    }
}
