import PluginAPI

/// Fills a list with readings, and updates their values every second: `template/readings?NAME,NAME,…`.
final class ReadingsSource: DataSource {
    private let context: DataSourceContext
    private var readings: [Reading]

    init(_ context: DataSourceContext) throws {
        readings = context.argument.split(separator: ",").map { Reading(name: String($0), value: 20) }
        guard !readings.isEmpty else {
            throw ListError(.invalidArguments, "template/readings needs names after the “?”, separated by commas")
        }
        self.context = context
    }

    func start() throws {
        let interval = try context.settings.duration("Interval") ?? .seconds(1)
        context.poll(every: interval) { [unowned self] in
            readings = readings.map { Reading(name: $0.name, value: $0.value + .random(in: -0.5...0.5)) }
            return try readings.listObjects()
        }
    }
}
