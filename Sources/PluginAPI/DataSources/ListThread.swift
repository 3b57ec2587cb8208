// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The mark of a thread that runs the work of a list, such as a callback of a section controller.
///
/// Such a thread must not wait until a list has handled an event of a data source, because that list may be its own.
@_spi(Daemon) public enum ListThread {
    /// The number of nested pieces of work, in the thread's own value for this key.
    private static let depth: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Whether the current thread runs the work of a list.
    static var isCurrent: Bool { depth.map { unsafe pthread_getspecific($0) != nil } ?? false }

    /// Marks the current thread until the matching ``end()``.
    public static func begin() { add(1) }

    /// Ends the mark of the last ``begin()``.
    public static func end() { add(-1) }

    private static func add(_ count: Int) {
        guard let depth else { return }
        let new = unsafe Int(bitPattern: pthread_getspecific(depth)) + count
        unsafe pthread_setspecific(depth, UnsafeRawPointer(bitPattern: new))
    }
}
