// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
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
