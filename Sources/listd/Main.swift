// SPDX-License-Identifier: Apache-2.0

import Glibc
import ListDaemon
internal import ListSupport

@main
struct Main {
    static func main() async {
        let code = await DaemonProgram.main(
            Array(CommandLine.arguments.dropFirst()), environment: Environment.variables,
            executable: Environment.executable)
        exit(code.rawValue)
    }
}
