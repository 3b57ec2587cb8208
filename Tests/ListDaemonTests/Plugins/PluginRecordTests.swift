// SPDX-License-Identifier: Apache-2.0

import ListKit
@_spi(Daemon) import PluginAPI
import Testing

@Suite("Compatibility of a plugin's build with the daemon")
struct PluginRecordTests {
    private let daemon = PluginRecord(apiMajor: 2, apiMinor: 3, swiftVersion: 0x06_03_01, compiler: "clang A")

    private func message(_ change: (inout PluginRecord) -> Void) -> String? {
        var record = daemon
        change(&record)
        do throws(ListError) {
            try record.check(against: daemon, file: "/p/x.so")
            return nil
        } catch {
            return error.code == .pluginRefused ? error.message : nil
        }
    }

    @Test(
        "a plugin has the same API version or an older minor version → it is compatible",
        arguments: [0, 1, 3] as [UInt32])
    func fits(minor: UInt32) {
        #expect(message { $0.apiMinor = minor } == nil)
    }

    @Test(
        "a plugin has another major or a later minor version → it is refused, and the message has both versions",
        arguments: [(1, 3), (3, 0), (2, 4)] as [(UInt32, UInt32)])
    func api(major: UInt32, minor: UInt32) {
        let text = message {
            $0.apiMajor = major
            $0.apiMinor = minor
        }
        #expect(text == "/p/x.so: the plugin was built for plugin API \(major).\(minor), but this listd has 2.3")
    }

    @Test("a plugin has another release or build of the compiler → it is refused, and the message has both compilers")
    func compiler() {
        #expect(
            message { $0.swiftVersion = 0x06_02_00 }
                == "/p/x.so: the plugin was built with Swift 6.2.0 (clang A), "
                + "but this listd with Swift 6.3.1 (clang A)")
        #expect(message { $0.compiler = "B" }?.contains("(B)") == true)
    }

    @Test("the API version is sent on the bus → its number is major × 65536 + minor")
    func version() {
        #expect(daemon.apiVersion == 0x2_0003)
        #expect(PluginRecord.current.swiftVersion >= 0x06_02_00)
        #expect(!PluginRecord.current.compiler.isEmpty)
    }
}
