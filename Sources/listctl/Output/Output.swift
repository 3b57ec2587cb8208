import DBus
import Glibc

/// Lines on standard output and complaints on standard error.
enum Output {
    /// Writes one line.
    static func line(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text as it is.
    ///
    /// When nobody takes it the program ends: quietly when the reader has gone, as everybody expects of a filter, else
    /// with a complaint. Both are a failure to whoever asks.
    static func write(_ text: String) {
        do throws(StandardDescriptor.WriteFailure) {
            try StandardDescriptor.output.write(text)
        } catch {
            if error.number != EPIPE { complain("standard output: \(SystemError.text(error.number))") }
            exit(ExitCode.failed.rawValue)
        }
    }

    /// Ends the program when the reader of a pipe goes, also while there is nothing to write.
    @DBusActor
    static func endWithReader() {
        guard StandardDescriptor.output.hasReader else { return }
        _ = try? EventLoop.shared.watch(StandardDescriptor.output.rawValue, for: .hangUp) { events in
            if !events.isDisjoint(with: [.failed, .hangUp]) { exit(ExitCode.failed.rawValue) }
        }
    }

    /// Writes a JSON object on one line.
    static func json(_ members: [String: DBusValue]) {
        line(JSONLine(.options(members)).text)
    }

    /// Writes a line to standard error, with the program's name in front; nobody can be told when that fails.
    ///
    /// The text may quote anybody, and is made harmless.
    static func complain(_ text: String) {
        try? StandardDescriptor.errors.write("listctl: \(DisplayText.harmless(text))\n")
    }
}
