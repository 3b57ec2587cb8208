/// Names a section for as long as its object is in the list, whatever its number.
struct SectionHandle: Hashable, Sendable {
    let raw: UInt32
}
