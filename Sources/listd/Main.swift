// SPDX-License-Identifier: Apache-2.0

// All of Foundation, although FoundationEssentials would do: if a plugin loads Foundation into this process later,
// the signals for stopping and reloading the daemon get lost.
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
