@_spi(Daemon) internal import ListKit

extension ListAdapter.Configuration {
    /// The options of an adapter that concern the engine.
    init(name: String, options: AdapterOptions) {
        self.init(name: name)
        layout = ListLayoutKind(options.layout)
        direction = options.direction
        stickyHeaders = options.stickyHeaders
        stretchToEdge = options.stretchToEdge
        showHeaderWhenEmpty = options.showHeaderWhenEmpty
        topContentInset = options.topContentInset
        stickyHeaderOffset = options.stickyHeaderOffset
        workingRange = options.workingRange
        updater = options.updater == .reload ? .reload : .batch
        reloadThreshold = options.reloadThreshold
        sectionMovesAsDeletesInserts = options.sectionMovesAsDeletesInserts
        preferItemReloads = options.preferItemReloads
        minimalMoves = options.minimalMoves
        coalescing = ListAdapter.Coalescing(
            minimum: UInt64(clamping: options.coalesceMinimum), maximum: UInt64(clamping: options.coalesceMaximum),
            increment: UInt64(clamping: options.coalesceIncrement))
        emptyContent = options.empty
    }
}

extension ListViewOptions {
    /// The options of a view, as the engine takes them.
    init(_ options: ViewOptions) {
        self.init()
        layout = options.layout.map { ListLayoutKind($0) }
        window = options.window
        windowBytes = options.windowBytes
        lead = options.lead
        trail = options.trail
        buffer = options.buffer
        overscanItems = options.overscanItems
        fields = options.fields
        isAnchored = options.anchor
        isAnchoredAtStart = options.anchorAtStart
        scale = options.scale
    }
}

extension ListLayoutKind {
    /// The engine's word for a layout.
    init(_ kind: LayoutKind) {
        switch kind {
        case .flow: self = .flow
        case .absolute: self = .absolute
        case .none: self = .none
        }
    }
}
