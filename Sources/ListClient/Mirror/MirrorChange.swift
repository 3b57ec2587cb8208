// SPDX-License-Identifier: Apache-2.0

/// What happened to one section of a mirrored list.
///
/// Positions count as changes of an array do: whoever applies the changes one by one, in their order, to an array of its
/// own has the mirror's content afterwards. A position is therefore one in the array as the changes before it left it,
/// not one before or after a transaction of the daemon; several transactions may be joined in one row of changes, and
/// what came and went between two of them is not reported at all.
public enum MirrorChange: Sendable, Equatable {
    /// The whole list was read anew and has this many sections: changes reported before mean nothing any more.
    case replaced(count: Int)
    /// The object is put in at `section`; what stood there and behind it moves one up.
    case inserted(section: Int, object: MirroredObject)
    /// The element at `section` is taken out; the object as it was last read.
    case deleted(section: Int, object: MirroredObject?)
    /// The element at `from` is taken out and then put in at `to`, a position in the array without it.
    case moved(from: Int, to: Int, object: MirroredObject)
    /// The object at `section` has new content.
    case updated(section: Int, object: MirroredObject)
}
