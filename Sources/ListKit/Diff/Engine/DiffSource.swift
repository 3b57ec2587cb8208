/// What the diff asks about two lists, by index; hashes are there before it starts.
///
/// The engine is specialised for each conforming type, so a question costs no dynamic call.
protocol DiffSource {
    /// How many elements the list before has.
    var oldCount: Int { get }

    /// How many elements the list after has.
    var newCount: Int { get }

    /// Well mixed bits of an identifier before; equal identifiers have equal hashes.
    func oldHash(_ old: Int) -> UInt64

    /// Well mixed bits of an identifier after.
    func newHash(_ new: Int) -> UInt64

    /// Whether an element before and one after have equal identifiers.
    func isSame(_ old: Int, _ new: Int) -> Bool

    /// Whether two elements before have equal identifiers.
    func isSameOld(_ old: Int, _ other: Int) -> Bool

    /// Whether two elements after have equal identifiers.
    func isSameNew(_ new: Int, _ other: Int) -> Bool

    /// Whether an element after counts as changed; asked once for each pair with equal identifiers.
    func isChanged(_ old: Int, _ new: Int) -> Bool
}
