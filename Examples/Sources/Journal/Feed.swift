// SPDX-License-Identifier: Apache-2.0

import ListKit

/// The three kinds of posts in IGListKit's tutorial, which can be converted to objects of a list.
enum Post {
    case journal(day: Int, text: String)
    case message(day: Int, user: String, text: String)
    case weather(day: Int, forecast: String)

    var day: Int {
        switch self {
        case .journal(let day, _), .message(let day, _, _), .weather(let day, _): day
        }
    }

    func object() throws(ListError) -> ListObject {
        switch self {
        case .journal(let day, let text):
            try ListObject(
                id: "journal \(day)", type: "journal", fields: ["day": .int64(Int64(day)), "text": .string(text)])
        case .message(let day, let user, let text):
            try ListObject(
                id: "message \(day) \(user)", type: "message", fields: ["user": .string(user), "text": .string(text)])
        case .weather(let day, let forecast):
            try ListObject(id: "weather \(day)", type: "weather", fields: ["forecast": .string(forecast)])
        }
    }
}

/// The data source of the list, which provides the last 50 posts, the newest day first.
final class Feed: ListAdapterDataSource {
    var posts: [Post] = []

    func add(_ post: Post) {
        posts.append(post)
        if posts.count > 50 { posts.removeFirst() }
    }

    func objects(for adapter: ListAdapter) -> [ListObject] {
        let sorted = posts.sorted { $0.day > $1.day }
        // A post is left out if a list does not accept its text.
        return sorted.compactMap { try? $0.object() }
    }
}
