// SPDX-License-Identifier: Apache-2.0

extension Request {
    /// Returns the words after the program's name.
    ///
    /// - Throws: a `UsageError` for a word that is not UTF-8. Swift would replace characters in it, so that the word
    ///   would name another list or file.
    static func commandLineWords() throws(UsageError) -> [String] {
        var words: [String] = []
        for position in 1..<max(1, Int(CommandLine.argc)) {
            // The argument vector and its texts live as long as the process; Swift copies the text.
            guard let bytes = unsafe CommandLine.unsafeArgv[position] else { break }
            guard let word = unsafe String(validatingCString: bytes) else {
                let shown = unsafe String(cString: bytes)
                throw UsageError(message: "argument \(position) is not UTF-8: \(shown)")
            }
            words.append(word)
        }
        return words
    }
}
