import DBus
import Foundation

/// Lines on standard output and complaints on standard error.
enum Output {
    /// Writes one line; a reader that has gone ends the program, as everybody expects of a filter.
    static func line(_ text: String) {
        Terminal.write(text + "\n")
    }

    /// Writes a JSON object on one line.
    static func json(_ members: [String: DBusValue]) {
        line((try? JSONLine(.options(members)).text) ?? "null")
    }

    /// Writes to standard error, with the program's name in front.
    static func complain(_ text: String) {
        FileHandle.standardError.write(Data("listctl: \(text)\n".utf8))
    }

    /// Rows with their columns aligned; the last column is left as long as it is.
    static func table(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows.map { $0.map(DisplayText.harmless) }
        let widths = header.indices.map { column in all.map { DisplayText.columns(of: $0[column]) }.max() ?? 0 }
        for row in all {
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : DisplayText.fitted(cell, to: widths[column])
            }
            line(cells.joined(separator: "  "))
        }
    }
}
