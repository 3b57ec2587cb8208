// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// A kind of source that is part of listd: its name in the option `source`, and how an instance is created.
///
/// The option's value is the scheme, a colon and the argument, as in `jsonl:/PATH`.
package struct BuiltInSource: Sendable {
    /// The parameters with which a source is created.
    package struct Context: Sendable {
        /// The limits of one object.
        let limits: ObjectLimits
        /// The maximum size in bytes of a file that the source reads.
        let fileBytes: Int
        /// The identifiers of objects without one.
        let identify: Identify
        /// The receiver of the source's events.
        let sink: SourceSink

        package init(
            limits: ObjectLimits, fileBytes: Int, identify: Identify = .none, sink: @escaping SourceSink
        ) {
            self.limits = limits
            self.fileBytes = fileBytes
            self.identify = identify
            self.sink = sink
        }
    }

    /// All built-in sources. `push`, other lists and plugins are not built-in sources.
    package static let all: [BuiltInSource] = [.jsonLines]

    /// The text before the colon.
    package let scheme: String
    /// The form of the option for messages, such as `jsonl:/PATH`.
    package let form: String
    /// Returns whether a text is a valid argument, that is, the text after the colon.
    package let accepts: @Sendable (String) -> Bool
    /// Creates a source. The argument must be valid according to ``accepts``.
    let make: @Sendable (_ argument: String, Context) throws(ListError) -> any Source

    /// Creates a source without starting it.
    ///
    /// - Parameter argument: an argument that is valid according to ``accepts``.
    /// - Throws: `limitsExceeded` when there is no memory.
    package func makeSource(_ argument: String, _ context: Context) throws(ListError) -> any Source {
        try make(argument, context)
    }
}

extension BuiltInSource: Hashable {
    package static func == (one: BuiltInSource, other: BuiltInSource) -> Bool { one.scheme == other.scheme }

    package func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}
