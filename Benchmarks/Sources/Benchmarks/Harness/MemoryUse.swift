// SPDX-License-Identifier: Apache-2.0

internal import CAllocations
internal import Foundation

/// What one run of a case took of the heap and of memory.
struct MemoryUse {
    /// Blocks taken from the heap, for one time of the work; nil when another process works, whose heap cannot be seen.
    let allocations: Double?
    /// The most that was resident, in bytes: above what was there before, or, of another process, all of it. Nil when the
    /// kernel does not tell.
    let peak: Int?

    /// Whether the peak is above what was there before.
    var isGrowth: Bool { allocations != nil }
}

/// The process whose memory a case is about.
struct MeasuredProcess {
    /// Its id; nil = this process.
    fileprivate let identifier: () -> pid_t?

    /// This one.
    static var own: MeasuredProcess { MeasuredProcess { nil } }

    /// Another one, which may be a new one after the work.
    static func other(_ identifier: @escaping () -> pid_t) -> MeasuredProcess {
        MeasuredProcess(identifier: identifier)
    }

    /// Does `work`, which is so many times the same, and returns what it took.
    func memory(times: Int, of work: () -> Void) -> MemoryUse {
        guard identifier() == nil else {
            resetPeak()
            work()
            return MemoryUse(allocations: nil, peak: resident("VmHWM"))
        }
        // Memory that was freed before must count when it is taken again.
        listd_give_back_freed_memory()
        let isReset = resetPeak()
        let before = resident("VmRSS")
        listd_count_allocations()
        work()
        let blocks = Double(listd_counted_allocations())
        let peak = isReset ? before.flatMap { before in resident("VmHWM").map { max(0, $0 - before) } } : nil
        return MemoryUse(allocations: blocks / Double(times), peak: peak)
    }

    /// Sets the peak to the memory that is resident now.
    @discardableResult
    private func resetPeak() -> Bool {
        guard let file = fopen(directory + "/clear_refs", "w") else { return false }
        let written = fputs("5", file)
        return fclose(file) == 0 && written >= 0
    }

    /// A figure of the kernel's about the process, in bytes.
    private func resident(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: directory + "/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first.map { $0 << 10 }
    }

    private var directory: String { "/proc/" + (identifier().map { "\($0)" } ?? "self") }
}
