// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Fills a list of listd from a list of a database: `postgres/list?…` ([options](../../../README.md)).
///
/// The follower of the service does the work, on a thread of its own; the source only adds and removes its list.
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
        let list = FollowedList(
            options, sink: context.sink, logger: context.logger, cursor: context.cursor.flatMap(ListCursor.init))
        self.list = list
        services.follow(list)
    }

    var acceptsWrites: Bool { options.acceptsWrites }

    func write(_ write: DataSourceWrite) throws {
        guard let list else { throw ListError(.sourceUnavailable, "the data source has not started") }
        services.write(write, to: list)
    }

    func stop() {
        guard let list else { return }
        services.unfollow(list)
    }
}
