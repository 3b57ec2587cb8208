// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A private bus with a real listd, a bare service on plain libdbus, and a number of subscribers.
final class BusStage {
    static let listd = "org.listd.Listd1"
    static let bareName = "org.example.Bare"
    static let storingName = "org.example.BareStore"

    let address: String
    let client: BareConnection
    let directory: URL
    private let isStoring: Bool
    private let arguments: [String]
    private var processes: [Process] = []
    private var daemonProcess: Process
    private let serviceProcess: Process
    private(set) var bus: ProcessClock
    private(set) var daemon: ProcessClock
    private(set) var service: ProcessClock

    /// - Parameters:
    ///   - subscribers: the number of connections that receive `Updated`.
    ///   - isStoring: whether listd has a store, in `stateDirectory`.
    ///   - files: the configuration files of lists, and additions to `listd.conf`.
    ///   - arguments: further arguments of listd.
    init(subscribers: Int = 0, isStoring: Bool = false, files: [String: String] = [:], arguments: [String] = []) {
        self.isStoring = isStoring
        self.arguments = arguments
        directory = BusStage.makeDirectory()
        for (name, text) in files { BusStage.append(text, to: directory.appending(path: "config/\(name)")) }
        address = "unix:path=\(directory.path)/bus"
        let busProcess = BusStage.start(
            "/usr/bin/dbus-daemon", ["--config-file=\(directory.path)/bus.conf", "--nofork", "--print-address=1"],
            waitsForLine: true)
        bus = ProcessClock(busProcess)
        client = BareConnection(address)
        daemonProcess = BusStage.start(
            BusStage.executable, BusStage.daemonArguments(address, directory, isStoring: isStoring) + arguments)
        serviceProcess = BusStage.start(
            "/proc/self/exe", ["--bus-peer", "service", address, directory.path + "/signals"])
        (daemon, service) = (ProcessClock(daemonProcess), ProcessClock(serviceProcess))
        processes = [serviceProcess, busProcess]
        if subscribers > 0 {
            processes.insert(
                BusStage.start(
                    "/proc/self/exe", ["--bus-peer", "subscribers", address, "\(subscribers)"], waitsForLine: true),
                at: 0)
        }
        for name in [BusStage.listd, BusStage.bareName] { while !client.hasOwner(name) { usleep(2000) } }
    }

    deinit {
        for process in [daemonProcess] + processes {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The CPU time of the caller, the bus, listd and the bare service. A benchmark calls either listd or the bare
    /// service, so the other one uses none.
    var clock: () -> Double {
        { [bus, daemon, service] in Runner.cpuTime() + bus.time + daemon.time + service.time }
    }

    /// The resident memory of listd.
    var daemonMemory: MeasuredProcess { .other { [self] in daemonProcess.processIdentifier } }

    /// The number of times that each thread of listd has gone to sleep, by thread id.
    var daemonSleeps: [String: Int] { BusStage.sleepCounts(of: daemonProcess) }

    /// The number of times that each thread of the bare service has gone to sleep, by thread id.
    var serviceSleeps: [String: Int] { BusStage.sleepCounts(of: serviceProcess) }

    private static func sleepCounts(of process: Process) -> [String: Int] {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(into: [:]) { counts, thread in
            let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            counts[thread] = line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
        }
    }

    /// The resident memory of the bare service.
    var serviceMemory: MeasuredProcess { .other { [serviceProcess] in serviceProcess.processIdentifier } }

    /// The address of listd's socket for direct connections.
    var directAddress: String { BusStage.directAddress(in: directory) }

    /// The directory of listd's store.
    var stateDirectory: String { directory.path + "/state" }

    /// Ends listd with SIGTERM, as systemd does, and starts it again. Returns the CPU time that listd used until it
    /// owned its bus name.
    func restart() -> Double {
        stop()
        daemonProcess = BusStage.start(
            BusStage.executable, BusStage.daemonArguments(address, directory, isStoring: isStoring) + arguments)
        daemon = ProcessClock(daemonProcess)
        while !client.hasOwner(BusStage.listd) { usleep(2000) }
        return daemon.time
    }

    /// Ends listd with SIGTERM, as systemd does.
    func stop() {
        if daemonProcess.isRunning { daemonProcess.terminate() }
        daemonProcess.waitUntilExit()
        while client.hasOwner(BusStage.listd) { usleep(2000) }
    }

    /// Returns a call of the bare service.
    func bareCall(_ member: String) -> BareMessage {
        BareMessage(to: Self.bareName, "/", Self.bareName, member)
    }

    /// Adds the time of an empty round trip, from a call of the bare service to its reply.
    func addEmptyRoundTrip(to benchmark: inout Benchmark) {
        benchmark.addElapsed("empty round trip", iterations: 300, memoryOf: serviceMemory) { [self] in
            let call = bareCall("Empty")
            return Runner.elapsed { client.call(call) }
        }
    }

    /// Returns the signal `Updated` that a call causes.
    func signal(causedBy call: BareMessage) -> BareMessage {
        let listener = BareConnection(address)
        listener.addMatchRule("type='signal',interface='\(Self.listd).Adapter',member='Updated'")
        client.call(call)
        while let message = listener.nextMessage(timeout: 10_000) {
            if message.isSignal, message.member == "Updated" { return message }
        }
        fatalError("listd sent no signal “Updated”")
    }

    /// Starts a bare service that writes each change into a copy of listd's store before it replies.
    func startStoringService() {
        let copy = directory.path + "/service"
        PlainSQLite.copyStore(stateDirectory, to: copy)
        let process = BusStage.start(
            "/proc/self/exe", ["--bus-peer", "service", address, directory.path + "/signals", copy])
        processes.insert(process, at: 0)
        while !client.hasOwner(BusStage.storingName) { usleep(2000) }
    }

    /// Sets the signals that a bare service sends.
    func setSignals(_ signals: [BareMessage], of service: String = BusStage.bareName) {
        let isWritten = FileManager.default.createFile(
            atPath: directory.path + "/signals", contents: Data(signals.flatMap(\.bytes)))
        guard isWritten else { fatalError("cannot write into \(directory.path)") }
        client.call(BareMessage(to: service, "/", service, "Load"))
    }
}

/// The CPU time of another process.
struct ProcessClock {
    private let clock: clockid_t

    init(_ process: Process) { self.init(processID: process.processIdentifier) }

    init(processID: Int32) {
        var clock = clockid_t()
        guard clock_getcpuclockid(processID, &clock) == 0 else { fatalError("process \(processID) has no CPU clock") }
        self.clock = clock
    }

    /// The CPU time so far, in milliseconds.
    var time: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

// MARK: - Starting

extension BusStage {
    /// The path of listd: the optimised build of this checkout, or the program that `LISTD` names.
    static let executable: String = {
        if let path = ProcessInfo.processInfo.environment["LISTD"] { return path }
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        guard let build = own.range(of: "/.build/") else { fatalError("LISTD must be the path of a listd") }
        return own[..<build.lowerBound] + "/.build/release/listd"
    }()

    static func directAddress(in directory: URL) -> String { "unix:path=\(directory.path)/direct" }

    static func daemonArguments(_ address: String, _ directory: URL, isStoring: Bool) -> [String] {
        [
            "--bus", address, "--direct", directAddress(in: directory),
            "--state", isStoring ? directory.path + "/state" : "none", "--config", directory.path + "/config",
            "--log-level", "error",
        ]
    }

    static func start(_ program: String, _ arguments: [String], waitsForLine: Bool = false) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { fatalError("cannot start \(program): is it built?") }
        if waitsForLine { _ = output.fileHandleForReading.availableData }
        return process
    }

    private static func append(_ text: String, to file: URL) {
        let present = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard (try? (present + text).write(to: file, atomically: true, encoding: .utf8)) != nil else {
            fatalError("cannot write \(file.path)")
        }
    }

    static func makeDirectory() -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString.prefix(8))")
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type><listen>unix:path=\(directory.path)/bus</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit><limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit><limit name="max_replies_per_connection">50000</limit>
            </busconfig>
            """
        do {
            try FileManager.default.createDirectory(
                at: directory.appending(path: "config"), withIntermediateDirectories: true)
            try text.write(to: directory.appending(path: "bus.conf"), atomically: true, encoding: .utf8)
            try "[Limits]\nPayloadBytes=64M\nCallsPerConnection=2000\n".write(
                to: directory.appending(path: "config/listd.conf"), atomically: true, encoding: .utf8)
        } catch {
            fatalError("\(directory.path): \(error)")
        }
        return directory
    }
}
