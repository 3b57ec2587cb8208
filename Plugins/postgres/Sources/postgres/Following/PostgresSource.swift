// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

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

/// The options of a list's source: `postgres/list?NAME&service=SERVICE&poll=100ms&stale=5s&write=no&delete-limit=1000`.
struct ListOptions: Sendable, Hashable {
    /// The list's name in the database.
    let name: String
    let address: ServiceAddress
    /// The time between two polls.
    let poll: Duration
    /// The time without an answer of the server after which an error is reported.
    let stale: Duration
    let acceptsWrites: Bool
    /// The largest number of rows that one write may delete; 0 = any.
    let deletionLimit: Int
    /// The maximum number of bytes of an object's fields, as in listd's limit `ObjectBytes`.
    let largest: Int

    private static let names: Set = ["service", "poll", "stale", "write", "delete-limit"]

    /// Parses the argument of a source.
    ///
    /// - Throws: `invalidArguments`, which names the option at fault.
    init(_ text: String, settings: PluginSettings) throws {
        let argument = try DataSourceArgument(text) { Self.names.contains($0) }
        let options = argument.options
        guard !argument.subject.isEmpty, !argument.subject.utf8.contains(0) else {
            throw ListError(
                .invalidArguments, "postgres/list needs the name of a list, as in postgres/list?orders&service=shop")
        }
        let service = options["service"] ?? ""
        guard service != "yes" || text.contains("service=yes"), !service.utf8.contains(0) else {
            throw ListError(.invalidArguments, "the option “service” needs the name of a section of pg_service.conf")
        }
        name = argument.subject
        address = ServiceAddress(service: service)
        poll = try options.duration("poll") ?? .milliseconds(100)
        stale = try options.duration("stale") ?? .seconds(5)
        acceptsWrites = try options.boolean("write") ?? false
        deletionLimit = try options.integer("delete-limit") ?? 1000
        largest = try settings.integer("ObjectBytes") ?? 8 << 20
        guard poll >= .milliseconds(10), poll <= .seconds(3600) else {
            throw ListError(
                .invalidArguments, "the option “poll” is “\(options["poll"] ?? "")”, not a time from 10ms to 1h")
        }
        guard deletionLimit >= 0 else {
            throw ListError(
                .invalidArguments, "the option “delete-limit” is \(deletionLimit), not a number of rows from 0 on")
        }
        guard stale > poll else {
            throw ListError(
                .invalidArguments, "the option “stale” is “\(options["stale"] ?? "5s")”, not a time longer than “poll”")
        }
    }
}

/// Lists whose objects are in a PostgreSQL database and that many machines follow: the data source `postgres/list`.
enum PostgresPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let services = Services(host.logger)
        return PluginManifest(
            name: "postgres", version: "1.0.0",
            dataSources: [
                .source("list") { context in try PostgresSource(context, services: services) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(PostgresPlugin.self, to: call) }
