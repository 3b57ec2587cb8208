// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ListKit
internal import ListSupport

extension SQLiteStore {
    /// Moves the files of a closed store into a directory that has no store. If it is interrupted, the next call
    /// continues.
    ///
    /// - Returns: whether there was a store to move.
    /// - Throws: `storeFailed`; the files that are not moved yet stay where they are.
    package static func move(from old: String, to new: String) throws(ListError) -> Bool {
        guard StoreFiles.state("\(old)/\(fileName)") != nil, StoreFiles.state("\(new)/\(fileName)") == nil
        else { return false }
        try StoreOpening.makeDirectory(new)
        let names = StoreFiles.names(in: old).filter { $0.hasPrefix(fileName) || $0 == "store.mark" }
        // The database is moved last: as long as it is in the old directory, the move is not complete.
        for name in names.filter({ $0 != fileName }) + [fileName] {
            guard unsafe rename("\(old)/\(name)", "\(new)/\(name)") == 0 else {
                throw ListError(
                    .storeFailed, "\(old)/\(name) cannot be moved to \(new)", cause: SystemError.text(errno))
            }
        }
        return true
    }
}
