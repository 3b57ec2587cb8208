// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// What the astronaut wrote down.
typealias JournalEntry = Note<JournalKind>
/// What Earth wrote.
typealias Message = Note<MessageKind>

/// Tells one kind of notes from another.
protocol NoteKind: Sendable {
    /// The type of its objects.
    static var listType: String { get }
}

enum JournalKind: NoteKind {
    static let listType = "journal"
}

enum MessageKind: NoteKind {
    static let listType = "message"
}

/// What somebody wrote, at a time.
struct Note<Kind: NoteKind>: ListModel, Equatable, Sendable {
    static var listType: String { Kind.listType }

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
