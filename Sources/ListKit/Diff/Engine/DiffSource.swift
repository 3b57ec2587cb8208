// SPDX-License-Identifier: Apache-2.0

/// How an element after relates to one before.
@usableFromInline @frozen
enum DiffRelation {
    /// Their identifiers differ.
    case different
    /// They have one identifier, and the element counts as changed.
    case changed
    /// They have one identifier, and nothing changed.
    case unchanged
}

/// What the diff asks about two lists, by index; hashes are there before it starts.
///
/// The engine is specialised for each conforming type, so a question costs no dynamic call.
protocol DiffSource {
    /// How many elements the list before has.
    var oldCount: Int { get }

    /// How many elements the list after has.
    var newCount: Int { get }

    /// Well mixed bits of an identifier before; equal identifiers have equal hashes.
    func oldHash(_ old: Int) -> UInt32

    /// Well mixed bits of an identifier after.
    func newHash(_ new: Int) -> UInt32

    /// Compares an element before and one after.
    func relation(_ old: Int, _ new: Int) -> DiffRelation

    /// Whether two elements before have equal identifiers.
    func isSameOld(_ old: Int, _ other: Int) -> Bool

    /// Whether two elements after have equal identifiers.
    func isSameNew(_ new: Int, _ other: Int) -> Bool

    /// Whether an element before and one after may have equal identifiers: a quick look that errs only in saying yes.
    func isLikelySame(_ old: Int, _ new: Int) -> Bool
}
