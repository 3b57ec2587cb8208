// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program's entry point, which parses the arguments, runs the command, and exits with its exit code.
@main
struct Main {
    static func main() async {
        StandardDescriptor.openMissing()
        StandardDescriptor.catchBrokenPipeSignal()
        // The width of characters must not depend on the user's language. The C library copies the name.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
        do throws(UsageError) {
            let request = try Request(parsing: Request.commandLineWords())
            exit(await request.run().rawValue)
        } catch {
            Output.printMessage("\(error.message); see “listctl help\(error.command.map { " " + $0 } ?? "")”")
            exit(ExitCode.usage.rawValue)
        }
    }
}
