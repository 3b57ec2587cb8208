// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import Synchronization

/// Memory that the daemon shares with one worker: what each of its lists and data sources is in the middle of.
///
/// The worker writes before each call of the plugin's code and the daemon reads: so it is known in which callback a
/// worker died or hangs. The daemon trusts nothing of it: texts have bounds, and are only shown.
@safe
final class BreadcrumbMap: Sendable {
    /// How many lists and data sources can be told apart; what comes later goes unseen.
    static let count = 4096
    static let slotSize = 256
    private static let size = count * slotSize

    /// The memory file.
    let file: FileDescriptor
    /// Mapped as long as this object lives; its words are atomics, its texts are read as bytes that may be wrong.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// Makes memory for a new worker.
    convenience init() throws(ListError) {
        let number = unsafe listd_memfd("listd breadcrumbs")
        guard number >= 0 else { throw Self.noMemory(errno) }
        let file = FileDescriptor(adopting: number)
        guard ftruncate(number, off_t(Self.size)) == 0 else { throw Self.noMemory(errno) }
        try self.init(file: file)
    }

    private static func noMemory(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "no memory to share with a worker", cause: SystemError.text(number))
    }

    /// Maps the memory that the daemon handed over.
    init(file: FileDescriptor) throws(ListError) {
        let mapped = unsafe mmap(nil, Self.size, PROT_READ | PROT_WRITE, Int32(MAP_SHARED), file.rawValue, 0)
        guard let mapped = unsafe mapped, Int(bitPattern: mapped) != -1 else {
            throw ListError(.limitsExceeded, "memory cannot be shared", cause: SystemError.text(errno))
        }
        self.file = file
        unsafe base = unsafe mapped
    }

    deinit { unsafe munmap(base, Self.size) }

    /// The slot with a number; nil for one that is not there.
    func slot(_ index: Int) -> BreadcrumbSlot? {
        guard (0..<Self.count).contains(index) else { return nil }
        return unsafe BreadcrumbSlot(map: self, start: base + index * Self.slotSize)
    }
}

/// The place of one list or data source in a ``BreadcrumbMap``: empty, or what is being called.
///
/// Layout: a stamp that is 0 when empty and new with each outermost call; then kind, lengths, and whether there is a cause; the
/// user and the request of the cause; then two texts.
@safe
package struct BreadcrumbSlot: @unchecked Sendable {
    // Sendable: the map keeps the memory mapped; the worker's executor of the slot writes, everybody may read.
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
        // Slots are aligned to 256 bytes, and the first word is nothing but this atomic.
        unsafe body(start.assumingMemoryBound(to: Atomic<UInt64>.self).pointee)
    }

    /// The stamp; 0 = nothing is being called.
    var stamp: UInt64 { withStamp { $0.load(ordering: .acquiring) } }

    /// Records what is being called, and for which user; texts are cut to the room that they have.
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

    /// Begins (a new number) or ends (0) the outermost call.
    func setStamp(_ stamp: UInt64) { withStamp { $0.store(stamp, ordering: .releasing) } }

    private func write(_ text: String, at offset: Int, room: Int) -> UInt8 {
        let bytes = text.utf8Span.span
        let count = min(bytes.count, room)
        // `room` bytes belong to this text.
        unsafe bytes.extracting(first: count).withUnsafeBufferPointer { source in
            if let address = source.baseAddress { unsafe (start + offset).copyMemory(from: address, byteCount: count) }
        }
        return UInt8(count)
    }

    /// What is being called; nil when nothing is.
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
        // The bytes are inside of the slot, whatever the worker wrote as their number.
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start + offset, count: count), as: UTF8.self)
    }
}

/// What a worker was in the middle of.
package struct Breadcrumb: Sendable, Equatable {
    /// The callback.
    var kind: PluginCallback
    /// The name of the section controller or data source; empty when there is none.
    var controller: String
    /// The object of the section, or the argument of the data source.
    var object: String
    /// The user for whom it is called; nil = the list does it by itself.
    var cause: CallCause?

    /// For people.
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
