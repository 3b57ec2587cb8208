// SPDX-License-Identifier: Apache-2.0

import ListDaemon
@_spi(Daemon) import PluginAPI
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Values in configuration files")
struct ConfigurationTextTests {
    @Test(
        "a time span in systemd's syntax is parsed → the duration is known",
        arguments: [
            ("5", 5_000_000), ("5s", 5_000_000), ("2 h", 7_200_000_000), ("1min 30s", 90_000_000), ("500ms", 500_000),
            ("1.5s", 1_500_000), ("0", 0), ("20us", 20), ("7µs", 7), ("1d12h", 129_600_000_000),
            ("1M", 2_629_800_000_000), ("3m", 180_000_000), (" 1 sec ", 1_000_000), ("1w", 604_800_000_000),
            ("55s500ms", 55_500_000), ("1y", 31_557_600_000_000),
        ])
    func timeSpans(text: String, microseconds: Int64) {
        #expect(TimeSpan.parse(text) == .microseconds(microseconds))
    }

    @Test(
        "a text is not a time span → it is refused",
        arguments: [
            "", " ", "s", "-5s", "5 parsecs", "1..5s", ".5s", "5.", "5s x", "1e3", "٣s", "nan", "Infinity", "300000y",
            "99999999999999999999999999y", "5,s",
        ])
    func badTimeSpans(text: String) {
        #expect(TimeSpan.parse(text) == nil)
    }

    @Test("infinity, and a plain number with a default unit → their values")
    func specialTimeSpans() {
        #expect(TimeSpan.parse("infinity") == .infinite)
        #expect(TimeSpan.parse("20", unit: .milliseconds(1)) == .milliseconds(20))
        #expect(TimeSpan.parse("2s", unit: .milliseconds(1)) == .seconds(2))
    }

    @Test(
        "a size has a suffix → it is multiplied by a power of 1024",
        arguments: [
            ("0", 0), ("512", 512), ("512B", 512), ("4K", 4096), ("16M", 16_777_216), ("1.5G", 1_610_612_736),
            ("1T", 1_099_511_627_776), ("9223372036854775807", Int.max), ("0.5K", 512),
        ])
    func sizes(text: String, bytes: Int) {
        #expect(Amount.bytes(text) == bytes)
    }

    @Test(
        "a count has a suffix → it is multiplied by a power of 1000",
        arguments: [("64", 64), ("10M", 10_000_000), ("1.5K", 1500)])
    func counts(text: String, number: Int) {
        #expect(Amount.count(text) == number)
    }

    @Test(
        "a text is neither a size nor a count → it is refused",
        arguments: [
            "", "K", "-1", "+1", "1k", "1KB", "1 K", "16m", "0x10", "1.K", ".5K", "1.5", "9223372036854775808",
            "99999999999T", "1\u{0}", "٣",
        ])
    func badAmounts(text: String) {
        #expect(Amount.bytes(text) == nil)
        #expect(Amount.count(text) == nil)
    }

    @Test("a boolean is one of systemd's words in upper or lower case → it is accepted")
    func truth() {
        for word in ["1", "yes", "Y", "TRUE", "t", "On"] { #expect(Bool(configuration: word) == true) }
        for word in ["0", "no", "N", "False", "f", "OFF"] { #expect(Bool(configuration: word) == false) }
        for word in ["", "2", "ja", "yes ", "tru"] { #expect(Bool(configuration: word) == nil) }
    }
}
