// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
package import ListSupport
internal import ListWorkers

/// The daemon, from its command line to its exit code.
package enum DaemonProgram {
    /// Runs until a signal ends it.
    ///
    /// - Parameters:
    ///   - words: the arguments without the program's name.
    ///   - environment: the variables of the process.
    ///   - executable: the absolute path of the running program.
    package static func main(
        _ words: [String], environment: [String: String], executable: String
    ) async -> ExitCode {
        // The runtime (libdispatch) writes a line into the system's log when it may not raise the priority of a thread.
        // That is so in every listd of a user, and in its workers, which get the same variable. The runtime reads the
        // variable before it writes its first line.
        unsafe setenv("LIBDISPATCH_LOG", "NO", 0)
        do throws(UsageError) {
            let arguments = try Arguments.parse(
                words, environment: environment, executable: executable, isRoot: geteuid() == 0)
            switch arguments {
            case .help:
                print(Arguments.usage)
                return .done
            case .version:
                print("listd \(Version.text)")
                return .done
            case .run(let options):
                do { try Confinement.keepDaemonLocal() } catch {
                    write("listd: \(error)\n")
                    return .noBus
                }
                return await run(options, environment: environment)
            case .checkConfiguration(let directory):
                return checkConfiguration(directory)
            case .worker(let address):
                guard Confinement.begin(as: CommandLine.arguments.first ?? "listd") else { return .usage }
                return await WorkerProgram.run(address: address)
            }
        } catch {
            write("listd: \(error)\nTry listd --help.\n")
            return .usage
        }
    }

    private static func run(_ options: DaemonOptions, environment: [String: String]) async -> ExitCode {
        // Heaps of threads grow by one page with each call of the kernel, that of the first thread by many.
        listd_use_one_heap()
        // Before anything is opened: a wrong count must not hit descriptors of our own.
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
            let running = try await RunningDaemon(options, passed: passed, stop: stop, log: log)
            try await running.start()
            for await request in requests {
                switch request {
                case .terminate:
                    await running.stop()
                    return .done
                case .reload:
                    // What is wrong has been logged; the old configuration holds. A request to end does not wait for it.
                    Task { try? await running.reload(by: .signal) }
                }
            }
            return .done
        } catch let error as StartFailure {
            log.error("\(error.message)")
            return error.code
        } catch {
            log.error("\(error)")
            return .noBus
        }
    }

    private static func checkConfiguration(_ directory: String) -> ExitCode {
        let loaded = ConfigurationLoader.load(directory)
        var faults = loaded.faults + loaded.unknownGroups
        if loaded.isMissing {
            // For the daemon, a missing directory is a configuration without files; a user who checks a missing
            // directory has probably mistyped it.
            let place = ConfigurationPlace(file: directory, line: nil)
            faults.append(ConfigurationFault(place: place, message: "there is no such folder"))
        }
        for fault in faults { print(fault) }
        return faults.isEmpty ? .done : .configuration
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    }
}

/// Why the daemon did not start.
struct StartFailure: Error {
    /// How the process ends.
    var code: ExitCode
    /// One sentence for the log.
    var message: String
}
