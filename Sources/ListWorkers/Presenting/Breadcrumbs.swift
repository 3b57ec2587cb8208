// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import Synchronization

/// Memory that the daemon shares with one worker, with a slot for the running callback of each list and data source.
///
/// The worker writes a slot before each call of the plugin's code. From it the daemon knows in which callback a worker
/// died or hangs. The daemon does not trust the contents: texts are bounded, and only displayed.
@safe
final class BreadcrumbMap: Sendable {
    /// The number of slots. Lists and data sources beyond it have no breadcrumbs.
    static let count = 4096
    static let slotSize = 256
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
/// texts, and whether there is a cause; the user and the request of the cause; the two texts.
@safe
package struct BreadcrumbSlot: @unchecked Sendable {
    // Sendable: the map keeps the memory mapped. Only the executor of the list or data source writes; any thread may
    // read.
    private let map: BreadcrumbMap
    private let start: UnsafeMutableRawPointer

    private static let textOffset = 24
    private static let controllerRoom = 80
    private static let objectRoom = BreadcrumbMap.slotSize - textOffset - controllerRoom

    fileprivate init(map: BreadcrumbMap, start: UnsafeMutableRawPointer) {
        self.map = map
        unsafe self.start = unsafe start
    }

    private func withStamp<Result>(_ body: (borrowing Atomic<UInt64>) -> Result) -> Result {
        // Slots are aligned to 256 bytes, and their first word is only used as this atomic.
        unsafe body(start.assumingMemoryBound(to: Atomic<UInt64>.self).pointee)
    }

    /// The stamp of the outermost call; 0 = no callback runs.
    var stamp: UInt64 { withStamp { $0.load(ordering: .acquiring) } }

    /// Writes the callback that is about to run, and its cause. Texts are truncated to their maximum lengths.
    func write(_ kind: PluginCallback, controller: String, object: String, cause: CallCause? = nil) {
        unsafe start.storeBytes(of: kind.rawValue, toByteOffset: 8, as: UInt8.self)
        unsafe start.storeBytes(of: cause == nil ? 0 : 1, toByteOffset: 11, as: UInt8.self)
        unsafe start.storeBytes(of: cause?.user ?? 0, toByteOffset: 12, as: UInt32.self)
        unsafe start.storeBytes(of: cause?.request ?? 0, toByteOffset: 16, as: UInt64.self)
        let first = write(controller, at: Self.textOffset, room: Self.controllerRoom)
        unsafe start.storeBytes(of: first, toByteOffset: 9, as: UInt8.self)
        let second = write(object, at: Self.textOffset + Self.controllerRoom, room: Self.objectRoom)
        unsafe start.storeBytes(of: second, toByteOffset: 10, as: UInt8.self)
    }

    /// Marks the beginning (with a new number) or the end (with 0) of the outermost call.
    func setStamp(_ stamp: UInt64) { withStamp { $0.store(stamp, ordering: .releasing) } }

    /// Writes the beginning of a text, at most `room` bytes, and returns the number of bytes.
    private func write(_ text: String, at offset: Int, room: Int) -> UInt8 {
        let bytes = text.utf8Span.span
        let count = min(bytes.count, room)
        // The text has `room` bytes in the slot, so the copy stays inside of it.
        unsafe bytes.extracting(first: count).withUnsafeBufferPointer { source in
            if let address = source.baseAddress { unsafe (start + offset).copyMemory(from: address, byteCount: count) }
        }
        return UInt8(count)
    }

    /// The running callback; nil when none runs.
    var breadcrumb: Breadcrumb? {
        guard stamp != 0, let kind = PluginCallback(rawValue: unsafe start.load(fromByteOffset: 8, as: UInt8.self))
        else { return nil }
        return Breadcrumb(
            kind: kind, controller: text(lengthAt: 9, at: Self.textOffset, room: Self.controllerRoom),
            object: text(lengthAt: 10, at: Self.textOffset + Self.controllerRoom, room: Self.objectRoom), cause: cause)
    }

    private var cause: CallCause? {
        guard unsafe start.load(fromByteOffset: 11, as: UInt8.self) != 0 else { return nil }
        return CallCause(
            user: unsafe start.load(fromByteOffset: 12, as: UInt32.self),
            request: unsafe start.load(fromByteOffset: 16, as: UInt64.self))
    }

    private func text(lengthAt place: Int, at offset: Int, room: Int) -> String {
        let count = min(unsafe Int(start.load(fromByteOffset: place, as: UInt8.self)), room)
        // `count` is bounded, so the bytes are inside of the slot whatever length the worker wrote.
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start + offset, count: count), as: UTF8.self)
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
    /// The user and request that caused the call; nil = the list itself caused it.
    var cause: CallCause?

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
