/// How many items some neighbouring sections have.
struct CountBlock: SectionBlock {
    static let maximumSections = 128
    static let maximumItems = Int.max
    static let vacant = CountBlock([])

    private let counts: PackedIntegers
    let summary: Summary

    /// How many sections and items there are.
    struct Summary: SectionCounting {
        var sections: Int
        var items: Int

        static let empty = Summary(sections: 0, items: 0)

        func followed(by next: Summary) -> Summary {
            Summary(sections: sections + next.sections, items: items + next.items)
        }
    }

    init(_ sections: [Int]) {
        counts = PackedIntegers(sections.map(Int64.init)[...])
        summary = Summary(sections: sections.count, items: sections.reduce(0, +))
    }

    static func itemCount(of section: Int) -> Int { section }

    var sections: [Int] { (0..<summary.sections).map(itemCount(of:)) }

    func itemCount(of section: Int) -> Int { Int(counts[section]) }
}
