// SPDX-License-Identifier: Apache-2.0

/// One list that a file configures.
package struct ListConfiguration: Sendable {
    /// The name of the adapter: that of the file without `.list`.
    package let name: String
    /// What the list is, for people.
    package var description = ""
    /// The options of the adapter.
    package var options = AdapterOptions()
    /// The file.
    package let file: String
    private var places: [String: ConfigurationPlace] = [:]

    /// Describes a list by its defaults.
    package init(name: String, file: String) {
        self.name = name
        self.file = file
    }

    /// The place of a key, such as `Source`, or of a type of objects in `[Sections]`; the file itself without one.
    package func place(of key: String, inSection section: String = "List") -> ConfigurationPlace {
        places["\(section) \(key)"] ?? ConfigurationPlace(file: file, line: nil)
    }

    package mutating func remember(_ key: String, inSection section: String, at place: ConfigurationPlace) {
        places["\(section) \(key)"] = place
    }
}

extension ListConfiguration: Equatable {
    /// Two are equal if they configure the same list, in any lines.
    package static func == (lhs: ListConfiguration, rhs: ListConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.description == rhs.description && lhs.options == rhs.options
    }
}

/// A line of a configuration file, or the whole file.
package struct ConfigurationPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path.
    package let file: String
    /// Counted from 1; nil = the whole file.
    package let line: Int?

    /// Names a place.
    package init(file: String, line: Int?) {
        self.file = file
        self.line = line
    }

    /// `file:line`, as compilers write it.
    package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// An error in the configuration.
package struct ConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where.
    package let place: ConfigurationPlace
    /// The message, naming the key or the section.
    package let message: String

    /// Names a fault.
    package init(place: ConfigurationPlace, message: String) {
        self.place = place
        self.message = message
    }

    /// One line.
    package var description: String { "\(place): \(message)" }
}
