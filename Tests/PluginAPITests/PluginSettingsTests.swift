// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@Suite("Settings of a plugin")
struct PluginSettingsTests {
    private func settings(_ value: String) -> PluginSettings { PluginSettings(["Key": value]) }

    @Test("a key is missing → its value is nil for every type")
    func absent() throws {
        let settings = PluginSettings()
        #expect(settings["Key"] == nil)
        #expect(try settings.boolean("Key") == nil)
        #expect(try settings.integer("Key") == nil)
        #expect(try settings.number("Key") == nil)
        #expect(try settings.duration("Key") == nil)
    }

    @Test(
        "a value is a word that systemd accepts as a boolean → it is read as true or false",
        arguments: [
            ("yes", true), ("On", true), ("1", true), ("y", true), ("T", true), ("FALSE", false), ("0", false),
            ("n", false), ("f", false),
        ])
    func boolean(text: String, value: Bool) throws {
        #expect(try settings(text).boolean("Key") == value)
    }

    @Test(
        "a time has a unit or none → its duration is read",
        arguments: [
            ("250ms", Duration.milliseconds(250)), ("3", .seconds(3)), ("3 s", .seconds(3)), ("2min", .seconds(120)),
            ("1h", .seconds(3600)), ("2d", .seconds(172_800)), ("0", .zero), ("1min 30s", .seconds(90)),
            ("1.5h", .seconds(5400)), ("1w", .seconds(604_800)), ("20us", .microseconds(20)),
        ])
    func duration(text: String, value: Duration) throws {
        #expect(try settings(text).duration("Key") == value)
    }

    @Test(
        "a value has a wrong type → the error has the key, the value and the expected type",
        arguments: ["", "perhaps", "1.5.2", "-", "nan", "5 apples", "99999999999999999999"])
    func wrong(text: String) {
        let settings = settings(text)
        for read in [
            { _ = try settings.boolean("Key") }, { _ = try settings.integer("Key") },
            { _ = try settings.duration("Key") },
        ] as [() throws -> Void] {
            let error = #expect(throws: PluginSettingError.self) { try read() }
            #expect(error?.key == "Key")
            #expect(error?.description.hasPrefix("Key=\(text): expected ") == true)
        }
        if text != "99999999999999999999" { #expect(throws: PluginSettingError.self) { try settings.number("Key") } }
    }

    @Test("a time is infinite → its duration has a practically unlimited length")
    func endless() throws {
        #expect(try settings("infinity").duration("Key") == .microseconds(Int64.max))
    }

    @Test("a time is negative or overflows → reading it throws an error", arguments: ["-1s", "9223372036854775807d"])
    func badDuration(text: String) {
        #expect(throws: PluginSettingError.self) { try settings(text).duration("Key") }
    }
}
