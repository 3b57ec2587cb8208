// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListProtocol
internal import ListSupport
internal import ListWorkers
internal import Synchronization

/// The daemon program, from its command line to its exit status.
package enum DaemonProgram {
    /// Runs until a signal stops the daemon, and exits. The calling thread becomes the one of the event loop.
    ///
    /// It must be the only thread of the process, as the kernel confines the calling thread and those that it starts.
    ///
    /// - Parameters:
    ///   - words: the arguments without the program's name.
    ///   - environment: the variables of the process.
    ///   - executable: the absolute path of the running program.
    package static func main(_ words: [String], environment: [String: String], executable: String) -> Never {
        // libdispatch logs a line when it may not raise the priority of a thread. That is the case in every listd of
        // a user, and in its workers, which inherit the variable. libdispatch reads the variable before it logs its
        // first line.
        unsafe setenv("LIBDISPATCH_LOG", "NO", 0)
        do throws(UsageError) {
            let arguments = try Arguments.parse(
                words, environment: environment, executable: executable, isRoot: geteuid() == 0)
            switch arguments {
            case .help:
                print(Arguments.usage)
                exit(.done)
            case .version:
                print("listd \(Version.text)")
                exit(.done)
            case .run(let options):
                do { try Confinement.restrictDaemonToUnixSockets() } catch {
                    writeToStandardError("listd: \(error)\n")
                    exit(.noBus)
                }
                EventLoop.run {
                    await runMainQueueOnLoop()
                    exit(await run(options, environment: environment))
                }
            case .checkConfiguration(let directory, let asService):
                // Root can read what the service cannot.
                if asService { _ = UnixGroups.become(serviceUser) }
                exit(printFaults(inConfiguration: directory))
            case .worker(let descriptor):
                guard Confinement.begin(as: CommandLine.arguments.first ?? "listd") else { exit(.usage) }
                // The plugin may use the main queue, which must not wait for the event loop, nor the loop for the plugin.
                Task { exit(await WorkerProgram.run(onSocket: descriptor)) }
                dispatchMain()
            }
        } catch {
            writeToStandardError("listd: \(error)\nTry listd --help.\n")
            exit(.usage)
        }
    }

    /// Runs the main queue on the event loop's thread, which is the first one: plugins in this process are loaded on
    /// that queue, and may use it.
    @DBusActor
    private static func runMainQueueOnLoop() {
        let handle = _dispatch_get_main_queue_handle_4CF()
        _ = try? EventLoop.shared.watch(handle, for: .readable) { _ in
            // libdispatch leaves the reading to the loop, which a handle that stays readable would never let sleep.
            var count: UInt64 = 0
            _ = unsafe read(handle, &count, MemoryLayout.size(ofValue: count))
            _dispatch_main_queue_callback_4CF(nil)
        }
    }

    private static func exit(_ code: ExitCode) -> Never { Glibc.exit(code.rawValue) }

    private static func run(_ options: DaemonOptions, environment: [String: String]) async -> ExitCode {
        // What listd makes is for its own user alone: files, and a direct socket that no socket unit passes.
        umask(0o077)
        // A heap of another thread grows by one page with each system call, the heap of the first thread by many pages.
        listd_use_one_heap()
        // The passed descriptors are received before the daemon opens any: if systemd's count is too large, no
        // descriptor of the daemon's own is mistaken for a passed one.
        let passed = ActivatedDescriptors.receive()
        let log = Log(level: options.logLevel, sink: JournalSink.suitable(environment: environment))
        let (requests, continuation) = AsyncStream.makeStream(of: SignalRequest.self)
        let stop = StopFlag()
        let signals = Signals { request in
            if request == .terminate { stop.set() }
            continuation.yield(request)
        }
        defer { signals.cancel() }
        do {
            let running = try await RunningDaemon(options, passed: passed, stop: stop, log: log) {
                stop.set()
                continuation.yield(.restart)
            }
            try await running.start()
            for await request in requests {
                switch request {
                case .terminate, .restart:
                    await running.stop()
                    return request == .restart ? .restart : .done
                case .reload:
                    // Errors were already logged, and the old configuration stays in force. A request to stop does
                    // not wait for the reload.
                    Task { try? await running.reload(by: .signal) }
                }
            }
            return .done
        } catch let error as StartFailure {
            // The journal does not know the unit of a message whose process has ended before the message is read. Standard
            // error is a connection of the unit.
            let isJournal = JournalSink.isConnectedToJournal(environment: environment)
            Log(level: .error, sink: StandardErrorSink(prefixed: isJournal)).error("\(error.message)")
            return error.code
        } catch {
            log.error("\(error)")
            return .noBus
        }
    }

    /// The user that the service runs as (sysusers.d).
    private static let serviceUser = "listd"

    /// Checks the configuration in a directory, and prints its mistakes; returns the exit code of the program.
    private static func printFaults(inConfiguration directory: String) -> ExitCode {
        let loaded = ConfigurationLoader.load(directory)
        var faults = loaded.faults + loaded.unknownAccounts
        if loaded.isMissing {
            // To the daemon, a missing directory is an empty configuration. A user who checks one has probably
            // mistyped its name.
            let place = ConfigurationPlace(file: directory, line: nil)
            faults.append(ConfigurationFault(place: place, message: "there is no such folder"))
        }
        for fault in faults { print(fault) }
        return faults.isEmpty ? .done : .configuration
    }

    private static func writeToStandardError(_ text: String) {
        var text = text
        text.withUTF8 { _ = unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    }
}

/// The error because of which the daemon did not start.
struct StartFailure: Error {
    /// The exit status of the process.
    var code: ExitCode
    /// The message for the log.
    var message: String
}

/// A request to the daemon by a signal, or by a call that ends the daemon.
package enum SignalRequest: Sendable, Equatable {
    /// Stop the daemon in an orderly way (SIGTERM, SIGINT).
    case terminate
    /// Reload the configuration (SIGHUP).
    case reload
    /// Stop in an orderly way, to be started again (`Manager.Restore`).
    case restart
}

/// A receiver of the process's signals that turns them into requests, until it is cancelled.
///
/// Dispatch owns the signal handlers. The sources, and all calls of the receiver, run on the serial queue that the
/// initialiser makes. SIGPIPE is ignored permanently: a departed client causes an error of a write, and does not end
/// the process.
package final class Signals: Sendable {
    // The property is set once, and only `cancel` is called on its elements, which any thread may do.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Starts to receive signals; every signal after the return becomes a request.
    package init(receiver: @escaping @Sendable (SignalRequest) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "org.listd.signals")
        let registered = DispatchGroup()
        let requests: [(Int32, SignalRequest)] = [(SIGTERM, .terminate), (SIGINT, .terminate), (SIGHUP, .reload)]
        unsafe sources = requests.map { number, request in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receiver(request) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.wait()
    }

    /// Stops receiving signals.
    package func cancel() {
        for source in unsafe sources { source.cancel() }
    }
}

/// The flag for a requested stop of the daemon: it is set once, from any thread.
///
/// A long operation checks the flag between its steps; a waiting operation registers a reaction.
package final class StopFlag: Sendable {
    private let flag = Atomic(false)
    private let reaction = Mutex<(@Sendable () -> Void)?>(nil)

    /// Makes a flag that is not set.
    package init() {}

    /// Whether a stop was requested.
    package var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Requests the stop.
    package func set() {
        flag.store(true, ordering: .releasing)
        reaction.withLock { $0 }?()
    }

    /// Registers a reaction to the stop, in place of an earlier one. If the stop was requested already, it runs at
    /// once.
    ///
    /// - Parameter react: called on any thread, and rarely twice; nil removes the reaction.
    package func onSet(_ react: (@Sendable () -> Void)?) {
        reaction.withLock { $0 = react }
        if isSet { react?() }
    }
}
