internal import DBus
@_spi(Daemon) internal import ListKit

/// The options of a writing call.
struct UpdateOptions {
    /// Which options a call knows.
    enum Name: String {
        /// `animated` (b): a hint handed to update listeners.
        case animated
        /// `duplicates` (s): `fail` refuses repeated identifiers.
        case duplicates
    }

    var animated = true
    var duplicates = UpdateRequest.DuplicatePolicy.keepFirst

    /// Reads `a{sv}`.
    ///
    /// - Throws: `InvalidArgs`, naming an option that is unknown, has another type or a value that it cannot have.
    init(from reader: inout MessageReader, allowing names: Set<Name>) throws(DBusError) {
        for (key, value) in try [String: DBusValue](from: &reader).sorted(by: { $0.key < $1.key }) {
            guard let name = Name(rawValue: key), names.contains(name) else {
                throw .invalidArgs("unknown option “\(key)”")
            }
            switch (name, value) {
            case (.animated, .boolean(let flag)): animated = flag
            case (.duplicates, .string("fail")): duplicates = .fail
            case (.duplicates, .string(let word)): throw .invalidArgs("option duplicates: “\(word)” is not fail")
            default: throw .invalidArgs("option \(key): type “\(value.signature)” is wrong")
            }
        }
    }
}
