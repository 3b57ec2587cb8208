// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
@_spi(Daemon) internal import ListKit
internal import ListSupport
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// Memory that the daemon shares with one worker, with a slot for the running callback of each list and data source.
///
/// The worker writes a slot before each call of the plugin's code. From it the daemon knows in which callback a worker
/// died or hangs. The daemon does not trust the contents: texts are bounded, and only displayed.
@safe
final class BreadcrumbMap: Sendable {
    /// The number of slots. Lists and data sources beyond it have no breadcrumbs.
    static let count = 4096
    /// Only the pages of slots that are written take memory.
    static let slotSize = 4224
    private static let size = count * slotSize

    /// The memory file.
    let file: FileDescriptor
    /// Mapped as long as this object lives. Stamps are atomics; other contents are read without synchronisation and
    /// may be inconsistent.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// Makes memory for a new worker.
    convenience init() throws(ListError) {
        let number = unsafe listd_memfd("listd breadcrumbs")
        guard number >= 0 else { throw Self.memoryError(errno) }
        let file = FileDescriptor(adopting: number)
        guard ftruncate(number, off_t(Self.size)) == 0 else { throw Self.memoryError(errno) }
        try self.init(file: file)
    }

    private static func memoryError(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "the shared memory of a worker could not be made", cause: SystemError.text(number))
    }

    /// Maps a memory file, which the daemon shares with the worker.
    init(file: FileDescriptor) throws(ListError) {
        let mapped = unsafe mmap(nil, Self.size, PROT_READ | PROT_WRITE, Int32(MAP_SHARED), file.rawValue, 0)
        guard let mapped = unsafe mapped, Int(bitPattern: mapped) != -1 else {
            throw ListError(
                .limitsExceeded, "the shared memory of a worker could not be mapped", cause: SystemError.text(errno))
        }
        self.file = file
        unsafe base = unsafe mapped
    }

    deinit { unsafe munmap(base, Self.size) }

    /// Returns the slot with an index; nil if there is none.
    func slot(at index: Int) -> BreadcrumbSlot? {
        guard (0..<Self.count).contains(index) else { return nil }
        return unsafe BreadcrumbSlot(map: self, start: base + index * Self.slotSize)
    }
}

/// The slot of one list or data source in a ``BreadcrumbMap``, which describes the running callback.
///
/// Layout: a stamp, which is 0 while no callback runs and new with each outermost call; the kind, the lengths of the
/// texts, and the user; the request; whether there is a user; the two texts. An identifier of an object is never
/// truncated, as it says which object is fatal.
@safe
package struct BreadcrumbSlot: @unchecked Sendable {
    // Sendable: the map keeps the memory mapped. Only the executor of the list or data source writes; any thread may
    // read.
    private let map: BreadcrumbMap
    private let start: UnsafeMutableRawPointer

    private static let textOffset = 32
    private static let controllerRoom = 80
    private static let objectRoom = BreadcrumbMap.slotSize - textOffset - controllerRoom

    fileprivate init(map: BreadcrumbMap, start: UnsafeMutableRawPointer) {
        self.map = map
        unsafe self.start = unsafe start
    }

    private func withStamp<Result>(_ body: (borrowing Atomic<UInt64>) -> Result) -> Result {
        // Slots are aligned to 128 bytes, and their first word is only used as this atomic.
        unsafe body(start.assumingMemoryBound(to: Atomic<UInt64>.self).pointee)
    }

    /// The stamp of the outermost call; 0 = no callback runs.
    var stamp: UInt64 { withStamp { $0.load(ordering: .acquiring) } }

    /// Writes the callback that is about to run. Texts are truncated to their maximum lengths.
    func write(_ call: Breadcrumb) {
        unsafe start.storeBytes(of: call.kind.rawValue, toByteOffset: 8, as: UInt8.self)
        unsafe start.storeBytes(of: call.user ?? 0, toByteOffset: 12, as: UInt32.self)
        unsafe start.storeBytes(of: call.request, toByteOffset: 16, as: UInt64.self)
        unsafe start.storeBytes(of: call.user == nil ? 0 : 1, toByteOffset: 24, as: UInt8.self)
        let first = write(call.controller, at: Self.textOffset, room: Self.controllerRoom)
        unsafe start.storeBytes(of: UInt8(first), toByteOffset: 9, as: UInt8.self)
        let second = write(call.object, at: Self.textOffset + Self.controllerRoom, room: Self.objectRoom)
        unsafe start.storeBytes(of: UInt16(second), toByteOffset: 10, as: UInt16.self)
    }

    /// Marks the beginning (with a new number) or the end (with 0) of the outermost call.
    func setStamp(_ stamp: UInt64) { withStamp { $0.store(stamp, ordering: .releasing) } }

    /// Writes the beginning of a text, at most `room` bytes, and returns the number of bytes.
    private func write(_ text: String, at offset: Int, room: Int) -> Int {
        let bytes = text.utf8Span.span
        let count = min(bytes.count, room)
        // The text has `room` bytes in the slot, so the copy stays inside of it.
        unsafe bytes.extracting(first: count).withUnsafeBufferPointer { source in
            if let address = source.baseAddress { unsafe (start + offset).copyMemory(from: address, byteCount: count) }
        }
        return count
    }

    /// The running callback; nil when none runs.
    var breadcrumb: Breadcrumb? {
        guard stamp != 0, let kind = PluginCallback(rawValue: unsafe start.load(fromByteOffset: 8, as: UInt8.self))
        else { return nil }
        // The lengths are bounded, so the texts are inside of the slot whatever the worker wrote.
        let (first, second) = unsafe (
            start.load(fromByteOffset: 9, as: UInt8.self), start.load(fromByteOffset: 10, as: UInt16.self)
        )
        let hasUser = unsafe start.load(fromByteOffset: 24, as: UInt8.self) != 0
        return Breadcrumb(
            kind: kind, controller: text(at: Self.textOffset, length: min(Int(first), Self.controllerRoom)),
            object: text(
                at: Self.textOffset + Self.controllerRoom, length: min(Int(second), Self.objectRoom)),
            user: hasUser ? unsafe start.load(fromByteOffset: 12, as: UInt32.self) : nil,
            request: unsafe start.load(fromByteOffset: 16, as: UInt64.self))
    }

    private func text(at offset: Int, length: Int) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: start + offset, count: length), as: UTF8.self)
    }
}

/// A callback that was running in a worker.
package struct Breadcrumb: Sendable, Equatable {
    /// The kind of callback.
    var kind: PluginCallback
    /// The name of the section controller or data source; empty when there is none.
    var controller: String
    /// The identifier of the section's object, or the argument of the data source.
    var object: String
    /// The user on whose behalf the callback is called; nil = the list itself calls it, such as for its updates and timers.
    var user: UInt32?
    /// The user's request that still has to be answered; 0 = the user expects no answer, or has it already.
    var request: RequestID = 0

    /// Whether a user's call has caused the callback. Each `moveItem` callback has such a cause, even if none was
    /// recorded.
    var isOfCaller: Bool { user != nil || kind == .move }

    /// Whether the callback is a section controller's, about a known object.
    var isAboutObject: Bool {
        switch kind {
        case .manifest, .sourceMake, .sourceStart, .sourceStop, .sourceTimer, .sourceDescriptor, .sourceWrite: false
        case .make, .update, .count, .size, .item, .display, .endDisplay, .workingRange, .selection, .move, .scroll,
            .batch, .timer, .shape, .action:
            !object.isEmpty
        }
    }

    /// The callback in words, for messages.
    var description: String {
        switch kind {
        case .manifest: "the plugin's manifest"
        case .sourceMake, .sourceStart, .sourceStop, .sourceTimer, .sourceDescriptor, .sourceWrite:
            "\(kind) of data source \(controller)"
                + (object.isEmpty ? "" : " with the argument \(object.quoted)")
        case .timer where controller.isEmpty: "a call from another thread to a section controller"
        case .make, .update, .count, .size, .item, .display, .endDisplay, .workingRange, .selection, .move, .scroll,
            .batch, .timer, .shape, .action:
            "\(kind) of section controller \(controller) on object \(object.quoted)"
        }
    }
}

/// The callbacks of a plugin for which breadcrumbs are written. The raw value is stored in a breadcrumb.
enum PluginCallback: UInt8, Sendable, CustomStringConvertible {
    case manifest = 1
    case make, update, count, size, item, display, endDisplay, workingRange, selection, move, scroll, batch
    case timer, shape
    case sourceMake, sourceStart, sourceStop, sourceTimer, sourceDescriptor, sourceWrite
    case action

    /// Converts a callback of a section controller.
    init(_ callback: ListControllerCall.Callback) {
        switch callback {
        case .make: self = .make
        case .update: self = .update
        case .count: self = .count
        case .size: self = .size
        case .item: self = .item
        case .display: self = .display
        case .endDisplay: self = .endDisplay
        case .workingRange: self = .workingRange
        case .selection: self = .selection
        case .action: self = .action
        case .move: self = .move
        case .scroll: self = .scroll
        case .batch: self = .batch
        }
    }

    /// Converts a callback of a data source.
    init(_ callback: DataSourceCallback) {
        switch callback {
        case .make: self = .sourceMake
        case .start: self = .sourceStart
        case .stop: self = .sourceStop
        case .timer: self = .sourceTimer
        case .descriptor: self = .sourceDescriptor
        case .write: self = .sourceWrite
        }
    }

    /// Whether an object is asked for what it shows, or told that it is shown. Otherwise it is told of a call that names
    /// it, or calls itself later.
    var asksContents: Bool {
        switch self {
        case .make, .update, .count, .size, .item, .display, .endDisplay, .workingRange, .scroll, .shape: true
        case .selection, .move, .action, .batch, .timer, .manifest, .sourceMake, .sourceStart, .sourceStop,
            .sourceTimer, .sourceDescriptor, .sourceWrite:
            false
        }
    }

    /// The name of the method in the plugin API, for messages.
    var description: String {
        switch self {
        case .manifest: "manifest"
        case .make: "init"
        case .update: "didUpdate"
        case .count: "numberOfItems"
        case .size: "sizeForItem"
        case .item: "item"
        case .display: "willDisplay"
        case .endDisplay: "didEndDisplaying"
        case .workingRange: "the working range delegate"
        case .selection: "selection"
        case .action: "handleAction"
        case .move: "moveItem"
        case .scroll: "the scroll delegate"
        case .batch: "performBatch"
        case .timer: "a timer"
        case .shape: "traits"
        case .sourceMake: "init"
        case .sourceStart: "start"
        case .sourceStop: "stop"
        case .sourceTimer: "a timer"
        case .sourceDescriptor: "a descriptor's callback"
        case .sourceWrite: "write"
        }
    }
}
