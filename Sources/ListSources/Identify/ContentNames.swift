// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// Which identifier an object without one gets: the option `identify`.
package enum Identify: String, Sendable, CaseIterable {
    /// None: it is refused.
    case none
    /// A digest of its type and fields.
    case content
}

/// The identifiers of the objects of one list that have none of their own.
///
/// An identifier is a digest of type and fields: the first eight bytes of the SHA-256 of their canonical D-Bus form, in
/// hexadecimal digits. The second equal object gets the digest with `-2`, and so on. Given identifiers do not matter: if
/// one of them equals a digest, the later of the two objects is a duplicate.
package struct ContentNames: Sendable {
    private var counts: [String: Int] = [:]

    /// Begins a list.
    package init() {}

    /// Returns the identifier of the next object.
    ///
    /// - Complexity: O(bytes of the object).
    package mutating func next(type: String, fields: Fields) -> String {
        var message = CanonicalMessage()
        message.append(type)
        message.append(fields)
        let name = SHA256.hash(message.bytes).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        .joined()
        let count = counts[name, default: 0] + 1
        counts[name] = count
        return count == 1 ? name : "\(name)-\(count)"
    }
}
