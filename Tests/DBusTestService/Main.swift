// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc

/// A service in a process of its own, for tests of socket activation. The process serves `Echo` on the activated
/// socket named `direct`. `Echo` answers with the names of all descriptors that systemd passed to the process.
@main
struct Main {
    @DBusActor
    static let interface = Interface<ActivatedDescriptors>(
        "org.example.Passed",
        [
            .function("Names", out: "names") { (passed, _) in passed.all.map(\.name) },
            .function("Contents", in: ["name"], out: "descriptor") { (passed, _, name: String) in
                guard let found = passed.named(name).first else {
                    throw DBusError.invalidArgs("systemd passed no descriptor named “\(name)”")
                }
                return found
            },
        ])

    static func main() async {
        await serve(ActivatedDescriptors.receive())
    }

    @DBusActor
    private static func serve(_ passed: ActivatedDescriptors) async {
        do throws(DBusError) {
            let server = try Server.listen(on: "direct", of: passed)
            let tree = ObjectTree()
            tree.add(ExportedObject(interface, of: passed), at: "/")
            server.objects = tree
            print("ready", server.address)
            fflush(nil)
            while true { try? await Task.sleep(for: .seconds(3600)) }
        } catch {
            print("failed", error.name)
        }
    }
}
