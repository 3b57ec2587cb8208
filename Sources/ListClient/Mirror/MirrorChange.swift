// SPDX-License-Identifier: Apache-2.0

/// A change of one section in a mirrored list.
///
/// Positions refer to an array that is changed step by step: each position is valid after the changes before it, not
/// before or after a transaction of the daemon. A program that applies the changes in order to its own array gets the
/// mirror's content. One sequence of changes may combine several transactions; objects that were added and removed in
/// between are not reported.
public enum MirrorChange: Sendable, Equatable {
    /// The whole list was read again and has this number of sections. Earlier changes no longer matter.
    case replaced(count: Int)
    /// The object is inserted at `section`. The elements from there on move up by one.
    case inserted(section: Int, object: MirroredObject)
    /// The element at `section` is removed. The object is its last known content.
    case deleted(section: Int, object: MirroredObject?)
    /// The element at `from` is removed and then inserted at `to`, a position in the array without it.
    case moved(from: Int, to: Int, object: MirroredObject)
    /// The object at `section` has new content.
    case updated(section: Int, object: MirroredObject)
}
