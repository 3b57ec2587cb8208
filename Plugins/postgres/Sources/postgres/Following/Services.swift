// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI
internal import Synchronization

/// The followers, one for each service that has a list.
final class Services: Sendable {
    private let followers = Mutex<[ServiceAddress: ServiceFollower]>([:])
    private let logger: PluginLogger

    init(_ logger: PluginLogger) { self.logger = logger }

    /// Starts following a list, with a new follower if its service has none.
    func follow(_ list: FollowedList) {
        followers.withLock { followers in
            if let follower = followers[list.options.address] { return follower.follow(list) }
            let follower = ServiceFollower(list.options.address, logger)
            followers[list.options.address] = follower
            follower.follow(list)
            follower.start()
        }
    }

    /// Passes a client's write to the follower of the list.
    func write(_ write: DataSourceWrite, to list: FollowedList) {
        followers.withLock { $0[list.options.address] }?.write(write, to: list)
    }

    /// Stops following a list. Events that its sink has not accepted are dropped.
    func unfollow(_ list: FollowedList) {
        list.markStopped()
        followers.withLock { followers in
            guard let follower = followers[list.options.address] else { return }
            if follower.unfollow(list) { followers[list.options.address] = nil }
        }
    }
}
