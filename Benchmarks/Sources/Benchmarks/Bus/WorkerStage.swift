// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A listd that has loaded the same plugin twice: as `inside` in the daemon, and as `outside` in a worker.
final class WorkerStage {
    let bus: BusStage

    /// - Parameter lists: the names of lists to configure. Each list uses the section controller of the plugin that
    ///   has the same name.
    init(lists: [String]) {
        var files = ["listd.conf": "[Plugin inside]\nIsolation=none\n[Plugin outside]\nIsolation=worker\n"]
        for name in lists {
            files[name + ".list"] = "[List]\nDurability=memory\n[Sections]\n*=\(name)/BindingController\n"
        }
        bus = BusStage(files: files, arguments: ["--plugins", Self.plugins])
    }

    /// Calls a method of the manager with one string.
    func callManager(_ member: String, argument: String) {
        let call = BareMessage(
            to: BusStage.listd, "/org/listd/Listd1", BusStage.listd + ".Manager", member)
        call.write { $0.append(argument) }
        bus.client.call(call)
    }

    /// Returns the number of messages about lists that listd and the worker of a plugin have exchanged.
    func messageCount(ofWorkerOf plugin: String) -> Int {
        let call = BareMessage(
            to: BusStage.listd, "/org/listd/Listd1", BusStage.listd + ".Manager", "GetStatistics")
        let answer = bus.client.call(call)
        let counters = answer.reader.counters
        return ["orders", "reports"].reduce(0) { $0 + Int(counters["plugin-\(plugin)-\($1)"] ?? 0) }
    }

    /// Returns a clock with the CPU time of the caller, the bus, listd, and the worker of a plugin.
    func clock(withWorkerOf plugin: String) -> () -> Double {
        let (worker, others) = (ProcessClock(processID: processID(of: plugin)), bus.clock)
        return { others() + worker.time }
    }

    /// Returns the process in which the code of a plugin runs, for its resident memory.
    func measuredProcess(of plugin: String) -> MeasuredProcess { .other { [self] in processID(of: plugin) } }

    private func processID(of plugin: String) -> Int32 {
        let call = BareMessage(
            to: BusStage.listd, "/org/listd/Listd1/plugins/\(plugin)", "org.freedesktop.DBus.Properties", "Get")
        call.write { writer in
            writer.append(BusStage.listd + ".Plugin")
            writer.append("ProcessID")
        }
        var answer = bus.client.call(call).reader
        var value = answer.contentReader()
        return Int32(value.uint32())
    }

    /// The directory that contains the plugin under both names. The plugin is compiled against the libraries of the
    /// measured listd, with the options of `swift build -c release`.
    private static let plugins: String = {
        let built = URL(fileURLWithPath: BusStage.executable).resolvingSymlinksInPath().deletingLastPathComponent().path
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-plugins-\(getuid())").path
        for name in ["inside", "outside"] {
            let script = """
                umask 022; mkdir -p \(directory); compiler=$(dirname "$(\(root)/scripts/swift --where)")/swiftc
                "$compiler" -O -emit-library -swift-version 6 -D \(name.uppercased()) -module-name \(name) \
                -I \(built)/Modules -I \(root)/Sources/PluginAPI/ABI -L \(built) -lPluginAPI -lListKit \
                -o \(directory)/\(name).so \(root)/Benchmarks/Plugins/binding.swift
                """
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-ec", script]
            guard (try? process.run()) != nil else { fatalError("cannot start a shell") }
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { fatalError("the plugin \(name) cannot be compiled") }
        }
        return directory
    }()
}
