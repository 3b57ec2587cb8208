// SPDX-License-Identifier: Apache-2.0

/// The configuration of one list, from its file.
package struct ListConfiguration: Sendable {
    /// The name of the adapter, which is the file name without `.list`.
    package let name: String
    /// A description of the list for people.
    package var description = ""
    /// The options of the adapter.
    package var options = AdapterOptions()
    /// The path of the file.
    package let file: String
    private var places: [String: ConfigurationPlace] = [:]

    /// Creates a configuration with default options.
    package init(name: String, file: String) {
        self.name = name
        self.file = file
    }

    /// Returns the place of a key, such as `Source`, or of an object type in `[Sections]`; the whole file if the key
    /// is not set.
    package func place(of key: String, inSection section: String = "List") -> ConfigurationPlace {
        places["\(section) \(key)"] ?? ConfigurationPlace(file: file, line: nil)
    }

    package mutating func recordPlace(of key: String, inSection section: String, at place: ConfigurationPlace) {
        places["\(section) \(key)"] = place
    }
}

extension ListConfiguration: Equatable {
    /// Returns whether both configure the same list, regardless of lines and files.
    package static func == (lhs: ListConfiguration, rhs: ListConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.description == rhs.description && lhs.options == rhs.options
    }
}

/// A line of a configuration file, or the whole file.
package struct ConfigurationPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file.
    package let file: String
    /// The line number, counted from 1; nil for the whole file.
    package let line: Int?

    /// Creates a place.
    package init(file: String, line: Int?) {
        self.file = file
        self.line = line
    }

    /// The place in the form `file:line`, as compilers print it.
    package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// An error in the configuration.
package struct ConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the error.
    package let place: ConfigurationPlace
    /// The message, which names the key or section.
    package let message: String

    /// Creates a fault.
    package init(place: ConfigurationPlace, message: String) {
        self.place = place
        self.message = message
    }

    /// The place and the message in one line.
    package var description: String { "\(place): \(message)" }
}
