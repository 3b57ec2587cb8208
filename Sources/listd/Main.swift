// SPDX-License-Identifier: Apache-2.0

import ListDaemon
internal import ListSupport

@main
struct Main {
    static func main() {
        DaemonProgram.main(
            Array(CommandLine.arguments.dropFirst()), environment: Environment.variables,
            executable: Environment.executable)
    }
}
