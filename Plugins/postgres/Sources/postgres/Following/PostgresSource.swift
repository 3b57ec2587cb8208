// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// A list of a database as a source of a list of listd: `postgres/list?…` ([options](../../../README.md)).
///
/// It only joins and leaves the follower of its service, which has a thread of its own.
final class PostgresSource: WritableDataSource {
    private let context: DataSourceContext
    private let options: ListOptions
    private let services: Services
    private var list: FollowedList?

    init(_ context: DataSourceContext, services: Services) throws {
        self.context = context
        self.services = services
        options = try ListOptions(context.argument, settings: context.settings)
    }

    func start() {
        let list = FollowedList(options, sink: context.sink, cursor: context.cursor.flatMap(ListCursor.init))
        self.list = list
        services.join(list)
    }

    var acceptsWrites: Bool { options.acceptsWrites }

    func write(_ write: DataSourceWrite) throws {
        guard let list else { throw ListError(.sourceUnavailable, "the list is not followed") }
        services.write(write, to: list)
    }

    func stop() {
        guard let list else { return }
        services.leave(list)
    }
}
