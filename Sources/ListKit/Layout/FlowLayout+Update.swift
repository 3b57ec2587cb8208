extension FlowLayout {
    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        prepare(source, container: container)
    }

    mutating func resize(_ items: [IndexPath], source: some LayoutSource) {
        prepare(source, container: container)
    }
}
