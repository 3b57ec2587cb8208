// SPDX-License-Identifier: Apache-2.0

struct Refusals {
    let path: String
    let count: Int

    func errors(name: String) -> [ListError] {
        [
            ListError(.invalidArguments, "\(path.shortenedPath) has \(count) lines, \(name.quoted) none"),
            ListError(.invalidArguments, "\(path) cannot be read"),
            ListError(.invalidArguments, "there is no “\(name)”", cause: "\(self.path): \(name)"),
            .refusal("\(name.debugDescription) is wrong"),
        ]
    }

    var note: String { "\(path) is fine in a note" }
}
