// SPDX-License-Identifier: Apache-2.0

/// A change of one section of a mirrored list.
///
/// Positions are those of an array that is changed step by step: a program that applies the changes one by one, in
/// order, to its own array has the mirror's content afterwards. So a position refers to the array after the changes
/// before it, not to the list before or after a transaction of the daemon; several transactions may be joined in one
/// sequence of changes, and objects that came and left in between are not reported.
public enum MirrorChange: Sendable, Equatable {
    /// The whole list was read again and has this many sections; earlier changes no longer matter.
    case replaced(count: Int)
    /// The object is inserted at `section`; elements from there on move one up.
    case inserted(section: Int, object: MirroredObject)
    /// The element at `section` is removed; the object is the one that was last read.
    case deleted(section: Int, object: MirroredObject?)
    /// The element at `from` is removed and then inserted at `to`, a position in the array without it.
    case moved(from: Int, to: Int, object: MirroredObject)
    /// The object at `section` has new content.
    case updated(section: Int, object: MirroredObject)
}
