// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// A table of options, each with its name, type and property. Decoding, encoding and the keys of configuration files
/// all use this table.
package struct OptionTable<Options: Sendable>: Sendable {
    /// An option in the table.
    package struct Entry: Sendable {
        /// The name on the bus, such as `working-range`.
        package let name: String
        /// The D-Bus signature of its value.
        package let signature: String
        /// Whether `decode` takes values of other types than `signature`, because the option is a number.
        let takesNumbers: Bool
        package let decode: @Sendable (Value, inout Options) throws(ListError) -> Void
        package let parse: @Sendable (String, inout Options) throws(ListError) -> Void
        package let encode: @Sendable (Options) -> Value?

        /// Creates an entry for the property at `path`.
        package init<Content>(
            _ name: String, _ path: any WritableKeyPath<Options, Content> & Sendable, _ type: OptionType<Content>
        ) {
            self.name = name
            signature = type.signature
            takesNumbers = ["u", "d"].contains(signature)
            decode = { value, options throws(ListError) in options[keyPath: path] = try type.decode(value) }
            parse = { text, options throws(ListError) in options[keyPath: path] = try type.parse(text) }
            encode = { type.encode($0[keyPath: path]) }
        }

        /// The key in configuration files, such as `WorkingRange`.
        package var configurationKey: String {
            name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// The options, in the order of the contract.
    package let entries: [Entry]
    private let positions: [String: Int]
    private let configurationPositions: [String: Int]

    package init(_ entries: [Entry]) {
        self.entries = entries
        positions = Dictionary(zip(entries.map(\.name), entries.indices)) { $1 }
        configurationPositions = Dictionary(zip(entries.map(\.configurationKey), entries.indices)) { $1 }
    }

    /// Decodes the values of a call, an `a{sv}`, and returns `defaults` with these values.
    ///
    /// - Throws: `invalidArguments` that names the first option, in alphabetical order, that is unknown or has a
    ///   wrong type or an invalid value.
    package func decode(_ values: [String: Value], into defaults: Options) throws(ListError) -> Options {
        var options = defaults
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let position = positions[name] else {
                throw ListError(.invalidArguments, "unknown option \(name.quoted)")
            }
            let entry = entries[position]
            do throws(ListError) {
                guard entry.takesNumbers || value.signature == entry.signature else {
                    return try Optional<Options>.none.orThrow(value, entry.signature)
                }
                // A value that nests too deeply could not be sent as a property.
                _ = try Fields([name: value])
                try entry.decode(value, &options)
            } catch {
                throw ListError(.invalidArguments, "option \(name.quoted): \(error.message)", cause: error.cause)
            }
        }
        return options
    }

    /// Parses the value of a key in a configuration file and stores it in `options`.
    ///
    /// - Throws: `invalidArguments` that names the key, when the key is unknown or the value is invalid.
    package func parse(key: String, value: String, into options: inout Options) throws(ListError) {
        guard let position = configurationPositions[key] else {
            throw ListError(.invalidArguments, "unknown key \(key.quoted)")
        }
        do throws(ListError) {
            try entries[position].parse(value, &options)
        } catch {
            throw ListError(.invalidArguments, "\(key): \(error.message)", cause: error.cause)
        }
    }

    /// Returns the present values of all options, as in an `Options` property.
    package func encode(_ options: Options) -> [String: Value] {
        var values: [String: Value] = [:]
        for entry in entries { values[entry.name] = entry.encode(options) }
        return values
    }
}
