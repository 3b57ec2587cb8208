import PluginAPI

/// Shows a reading as a row with its name, its value and the number of taps.
final class ReadingController: ListGenericSectionController<Reading> {
    private var taps: Int

    /// Makes the controller of the context's object. A reload makes new controllers; the list keeps the object's state.
    init(_ context: ListCollectionContext) {
        taps = context.state["taps"]?.int ?? 0
        super.init()
    }

    override func sizeForItem(at index: Int) -> Size {
        Size(width: context?.containerSize.width ?? 0, height: 44)
    }

    override func item(at index: Int) -> ListItem {
        let tenths = Int(((model?.value ?? 0) * 10).rounded())
        return ListItem(
            reuseIdentifier: "reading",
            content: [
                "title": .string(model?.name ?? ""),
                "detail": .string("\(Double(tenths) / 10) °C"),
                "taps": .int64(Int64(taps)),
            ])
    }

    override func didSelectItem(at index: Int) {
        context?.performBatch(updates: { batch in
            self.taps += 1
            self.context?.state = ["taps": .int64(Int64(self.taps))]
            batch.reloadItems(at: [0])
        })
    }
}
