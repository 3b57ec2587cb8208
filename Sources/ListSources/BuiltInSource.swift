// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// A kind of source that is part of listd: how the option `source` names it, and how one is made.
///
/// The option's text is the scheme, a colon and the argument, as in `jsonl:/PATH`.
package struct BuiltInSource: Sendable {
    /// What a source is made with.
    package struct Context: Sendable {
        /// The limits of one object.
        let limits: ObjectLimits
        /// How many bytes a file that is read may have.
        let fileBytes: Int
        /// Receives the events of the source.
        let sink: SourceSink

        package init(limits: ObjectLimits, fileBytes: Int, sink: @escaping SourceSink) {
            self.limits = limits
            self.fileBytes = fileBytes
            self.sink = sink
        }
    }

    /// Every built-in source; `push`, other lists and plugins are not among them.
    package static let all: [BuiltInSource] = [.jsonLines]

    /// What stands before the colon.
    package let scheme: String
    /// The form of the option for messages, such as `jsonl:/PATH`.
    package let form: String
    /// Whether a text may stand behind the colon.
    package let accepts: @Sendable (String) -> Bool
    /// Makes a source with an argument that ``accepts`` is true for.
    let make: @Sendable (_ argument: String, Context) throws(ListError) -> any Source

    /// Makes a source, which is not started yet.
    ///
    /// - Parameter argument: one that ``accepts`` is true for.
    /// - Throws: `limitsExceeded` without memory.
    package func makeSource(_ argument: String, _ context: Context) throws(ListError) -> any Source {
        try make(argument, context)
    }
}

extension BuiltInSource: Hashable {
    package static func == (one: BuiltInSource, other: BuiltInSource) -> Bool { one.scheme == other.scheme }

    package func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}
