// SPDX-License-Identifier: Apache-2.0

// Whole, though its essentials would do: when a plugin in this process brings Foundation in later, the signals that end the daemon and
// have it reload are lost.
import Foundation
import Glibc
import ListDaemon
internal import ListSupport

@main
struct Main {
    static func main() async {
        let code = await DaemonProgram.main(
            Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
            executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)
        exit(code.rawValue)
    }
}
