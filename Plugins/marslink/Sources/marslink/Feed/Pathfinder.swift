// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Receives the sample's messages, one from time to time, as the tutorial's Pathfinder does.
///
/// It runs as a task, on no executor of listd; it has only the sink of the list.
struct Pathfinder: Sendable {
    let sink: DataSourceSink
    let logger: PluginLogger
    /// The time until the next message.
    let interval: Duration

    /// Sends all messages; ends early when its task is cancelled.
    func run(into shown: Feed) async {
        var feed = shown
        for message in SampleFeed.messages {
            do {
                try await Task.sleep(for: interval)
                sink.changes(upserts: [try feed.insert(message)])
            } catch is CancellationError {
                return
            } catch {
                logger.error("marslink/feed: \(error)")
            }
        }
    }
}
