// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Simulates the messages from Earth: sends those of the sample feed at intervals, like the Pathfinder class of
/// IGListKit's tutorial.
///
/// It runs as a task outside of listd's executors, with only the sink of the list.
struct Pathfinder: Sendable {
    let sink: DataSourceSink
    let logger: PluginLogger
    /// The time between two messages.
    let interval: Duration

    /// Sends all messages; ends early when its task is cancelled.
    func sendMessages(extending shown: Feed) async {
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
