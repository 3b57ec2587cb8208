internal import Foundation
internal import PluginAPI

/// What Earth wrote.
struct Message: ListModel, Equatable, Sendable {
    static let listType = "message"

    var id: String
    var date: Date
    var author: String
    var text: String

    var listIdentifier: String { id }
    var listFields: Fields { ["date": date.value, "author": .string(author), "text": .string(text)] }

    init(id: String, date: Date, author: String, text: String) {
        self.id = id
        self.date = date
        self.author = author
        self.text = text
    }

    init(_ object: ListObject) throws(ListError) {
        self.init(
            id: object.id, date: try object.date(), author: try object.text("author"), text: try object.text("text"))
    }
}
