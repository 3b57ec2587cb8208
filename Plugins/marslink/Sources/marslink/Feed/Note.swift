// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// An entry of the astronaut's journal.
typealias JournalEntry = Note<JournalKind>
/// A message from Earth.
typealias Message = Note<MessageKind>

/// A kind of note, which determines the type of its objects.
protocol NoteKind: Sendable {
    /// The type of the notes' objects in a list.
    static var listType: String { get }
}

enum JournalKind: NoteKind {
    static let listType = "journal"
}

enum MessageKind: NoteKind {
    static let listType = "message"
}

/// A text with an author and a time.
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
            id: object.id, date: try object.requiredDate(), author: try object.requiredText("author"),
            text: try object.requiredText("text"))
    }
}
