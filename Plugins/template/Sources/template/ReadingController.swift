import PluginAPI

/// Shows a reading as a row with its name, its value and the number of taps.
final class ReadingController: ListGenericSectionController<Reading> {
    private var taps = 0

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
            batch.reloadItems(at: [0])
        })
    }
}
