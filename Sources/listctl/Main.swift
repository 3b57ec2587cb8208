// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Arguments → command → exit code.
@main
struct Main {
    static func main() async {
        StandardDescriptor.keepNumbers()
        StandardDescriptor.surviveReaders()
        // For the width of characters, whatever the user's language; the C library copies the name.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
        do throws(UsageError) {
            let request = try Request(parsing: Request.words())
            exit(await CommandRunner.run(request).rawValue)
        } catch {
            Output.complain("\(error.message); see “listctl help\(error.command.map { " " + $0 } ?? "")”")
            exit(ExitCode.usage.rawValue)
        }
    }
}
