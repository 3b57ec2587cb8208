// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The user as whom a connection may authenticate: the one that the kernel reported when it was made, if that one is
/// admitted.
///
/// libdbus by itself admits root and its own user, whoever the server is for.
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
    /// Decides about the other end when it authenticates.
    func setUserCheck(_ check: UserCheck) {
        unsafe withRaw { raw in
            unsafe dbus_connection_set_unix_user_function(
                raw, UserCheck.check, Unmanaged.passRetained(check).toOpaque(), UserCheck.release)
        }
    }
}
