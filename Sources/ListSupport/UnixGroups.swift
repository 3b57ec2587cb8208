// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The groups of Unix users, from the system's user databases (getgrouplist(3)).
package enum UnixGroups {
    /// How long a cached answer of the user database stays valid.
    package static let freshness = Duration.seconds(10)

    /// Returns the names of all groups of a user; an empty set for a user in no database.
    package static func names(ofUser user: UInt32) -> Set<String> {
        unsafe withEntry(passwd()) { record, buffer, size, result in
            unsafe getpwuid_r(user, &record, buffer, size, &result)
        } body: { entry in
            unsafe Set(groupIDs(of: entry).compactMap(name(ofGroup:)))
        } ?? []
    }

    /// Returns the name of a user; nil for a user in no database.
    package static func name(ofUser user: UInt32) -> String? {
        unsafe withEntry(passwd()) { record, buffer, size, result in
            unsafe getpwuid_r(user, &record, buffer, size, &result)
        } body: { entry in
            unsafe entry.pw_name.map { unsafe String(cString: $0) }
        } ?? nil
    }

    /// Returns whether there is a user with this name or number.
    package static func userExists(_ name: String) -> Bool {
        let isNamed =
            unsafe withEntry(passwd()) { record, buffer, size, result in
                unsafe getpwnam_r(name, &record, buffer, size, &result)
            } body: { _ in
                true
            } ?? false
        return isNamed || UInt32(name).flatMap { Self.name(ofUser: $0) } != nil
    }

    /// Returns whether there is a group with this name.
    package static func exists(_ name: String) -> Bool {
        unsafe withEntry(Glibc.group()) { record, buffer, size, result in
            unsafe getgrnam_r(name, &record, buffer, size, &result)
        } body: { _ in
            true
        } ?? false
    }

    /// Gives this process the rights of a user, for good. Returns `false`, without any change, if there is no such user
    /// or this process may not do that.
    package static func become(_ name: String) -> Bool {
        let found: (user: uid_t, group: gid_t, groups: [gid_t])? =
            unsafe withEntry(passwd()) { record, buffer, size, result in
                unsafe getpwnam_r(name, &record, buffer, size, &result)
            } body: { entry in
                unsafe (entry.pw_uid, entry.pw_gid, groupIDs(of: entry))
            }
        guard let found, unsafe setgroups(found.groups.count, found.groups) == 0 else { return false }
        return setgid(found.group) == 0 && setuid(found.user) == 0
    }

    private static func groupIDs(of entry: passwd) -> [gid_t] {
        guard let name = unsafe entry.pw_name else { return [] }
        var count: Int32 = 64
        var groups = [gid_t](repeating: 0, count: Int(count))
        while unsafe getgrouplist(name, entry.pw_gid, &groups, &count) < 0, count > groups.count {
            groups = [gid_t](repeating: 0, count: Int(count))
        }
        return Array(groups.prefix(Int(max(0, count))))
    }

    private static func name(ofGroup group: gid_t) -> String? {
        unsafe withEntry(Glibc.group()) { record, buffer, size, result in
            unsafe getgrgid_r(group, &record, buffer, size, &result)
        } body: { entry in
            unsafe String(cString: entry.gr_name)
        }
    }

    /// Calls one of the `get…_r` functions with an empty entry and a buffer that grows until the entry fits.
    private static func withEntry<Entry, Result>(
        _ empty: Entry,
        _ lookUp: (inout Entry, UnsafeMutablePointer<CChar>, Int, inout UnsafeMutablePointer<Entry>?) -> Int32,
        body: (Entry) -> Result
    ) -> Result? {
        var size = 1024
        while size <= 1 << 20 {
            // The strings of the entry point into the buffer, which outlives `body`.
            let (outcome, found) = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
                var record = empty
                var result: UnsafeMutablePointer<Entry>?
                guard let start = buffer.baseAddress else { return (ENOMEM, Result?.none) }
                let outcome = unsafe lookUp(&record, start, size, &result)
                return unsafe (outcome, result == nil ? nil : body(record))
            }
            guard outcome == ERANGE else { return found }
            size *= 4
        }
        return nil
    }
}
