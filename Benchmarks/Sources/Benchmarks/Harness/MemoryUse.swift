// SPDX-License-Identifier: Apache-2.0

internal import CAllocations
internal import Foundation

/// The heap allocations and the memory of one run of a case.
struct MemoryUse {
    /// The number of heap allocations for one execution of the work; nil when another process does the work, whose
    /// heap cannot be observed.
    let allocations: Double?
    /// The peak of the resident memory, in bytes. For this process, it is the growth since before the work; for
    /// another process, it is the whole peak. Nil when the kernel does not report it.
    let peak: Int?

    /// Whether the peak is the growth since before the work.
    var isGrowth: Bool { allocations != nil }
}

/// A process whose memory is measured.
struct MeasuredProcess {
    /// Returns the ID of the process; nil for this process.
    fileprivate let identifier: () -> pid_t?

    /// This process.
    static var own: MeasuredProcess { MeasuredProcess { nil } }

    /// Another process. The work may replace it by a new process with another ID.
    static func other(_ identifier: @escaping () -> pid_t) -> MeasuredProcess {
        MeasuredProcess(identifier: identifier)
    }

    /// Runs `work` and returns its memory use.
    ///
    /// - Parameter times: the number of executions that `work` consists of.
    func memory(times: Int, of work: () -> Void) -> MemoryUse {
        guard identifier() == nil else {
            resetPeak()
            work()
            return MemoryUse(allocations: nil, peak: memoryFigure(named: "VmHWM"))
        }
        // Without this, the work could reuse freed memory that is still resident, which would not count.
        listd_give_back_freed_memory()
        let isReset = resetPeak()
        let before = memoryFigure(named: "VmRSS")
        listd_count_allocations()
        work()
        let blocks = Double(listd_counted_allocations())
        let peak = isReset ? before.flatMap { before in memoryFigure(named: "VmHWM").map { max(0, $0 - before) } } : nil
        return MemoryUse(allocations: blocks / Double(times), peak: peak)
    }

    /// Resets the peak to the current resident memory. Returns whether that succeeded.
    @discardableResult
    private func resetPeak() -> Bool {
        guard let file = fopen(directory + "/clear_refs", "w") else { return false }
        let written = fputs("5", file)
        return fclose(file) == 0 && written >= 0
    }

    /// Returns a memory figure of the process from the kernel, in bytes.
    private func memoryFigure(named name: String) -> Int? {
        guard let text = try? String(contentsOfFile: directory + "/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first.map { $0 << 10 }
    }

    private var directory: String { "/proc/" + (identifier().map { "\($0)" } ?? "self") }
}
