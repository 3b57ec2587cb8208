// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A check that a connection authenticates as the user whom the kernel reported for it, and that this user is
/// admitted.
///
/// By default, libdbus admits root and the server's own user, regardless of what the server allows.
final class UserCheck: Sendable {
    private let userID: UInt32
    private let isAllowed: Bool

    init(userID: UInt32, isAllowed: Bool) {
        self.userID = userID
        self.isAllowed = isAllowed
    }

    static let check: DBusAllowUnixUserFunction = { _, userID, data in
        guard let data = unsafe data else { return 0 }
        let check = unsafe Unmanaged<UserCheck>.fromOpaque(data).takeUnretainedValue()
        return check.isAllowed && UInt(check.userID) == userID ? 1 : 0
    }

    static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<UserCheck>.fromOpaque(data).release() }
    }
}

extension Transport {
    /// Sets the check that libdbus calls when the other end authenticates.
    func setUserCheck(_ check: UserCheck) {
        unsafe withRaw { raw in
            unsafe dbus_connection_set_unix_user_function(
                raw, UserCheck.check, Unmanaged.passRetained(check).toOpaque(), UserCheck.release)
        }
    }
}
