/// Cuts a sequence of sections into chunks, which have to be laid out after that.
struct SectionCutter {
    private let sectionsPerPack: Int
    private var chunks: [FlowChunk] = []
    private var shapes: [SectionShape] = []
    private var items = 0

    /// Makes a cutter that fills packs up to a number of sections.
    init(sectionsPerPack: Int = SectionPack.maximumSections) {
        self.sectionsPerPack = sectionsPerPack
    }

    /// Cuts a few sections evenly, so that each chunk has room for more; `fillsUp` leaves room only in the last one.
    static func cut(_ drafts: [SectionDraft], fillsUp: Bool) -> [FlowChunk] {
        let most = SectionPack.maximumSections
        let packs = max(1, (drafts.count + most - 1) / most)
        var cutter = SectionCutter(sectionsPerPack: fillsUp ? most : (drafts.count + packs - 1) / packs)
        for draft in drafts { cutter.append(draft) }
        return cutter.finish()
    }

    mutating func append(_ draft: SectionDraft) {
        switch draft {
        case .large(let large):
            closePack()
            chunks.append(FlowChunk(.large(large)))
        case .small(let shape):
            if shapes.count == sectionsPerPack || items + shape.itemCount > SectionPack.maximumItems { closePack() }
            shapes.append(shape)
            items += shape.itemCount
        }
    }

    consuming func finish() -> [FlowChunk] {
        closePack()
        return chunks
    }

    private mutating func closePack() {
        guard !shapes.isEmpty else { return }
        chunks.append(FlowChunk(.sections(SectionPack(shapes, neighbour: chunks.last?.pack))))
        shapes.removeAll(keepingCapacity: true)
        items = 0
    }
}
