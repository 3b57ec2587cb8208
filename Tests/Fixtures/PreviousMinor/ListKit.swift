// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// ListKit as of the previous minor version, with fewer members than now and another layout.

@frozen public struct Size: Sendable, Hashable {
    public var width: Double
    public var height: Double
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

@usableFromInline final class ObjectBuffer {}

@usableFromInline @frozen struct ObjectStorage: @unchecked Sendable {
    @usableFromInline let buffer: ObjectBuffer
}

@usableFromInline final class FaultBox: Sendable {}

@frozen public struct Fields: Sendable {
    @usableFromInline let storage: ObjectStorage
    @usableFromInline var box: FaultBox?
    public init() { fatalError() }
    public subscript(key: String) -> Value? {
        get { fatalError() }
        set { fatalError() }
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) { fatalError() }
}

@frozen public indirect enum Value: Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    case variant(Value)
    case array(element: String, [Value])
    case dictionary(key: String, value: String, [Value: Value])
    case structure([Value])
}

extension Value: Hashable {
    public static func == (lhs: Value, rhs: Value) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

extension Value {
    public var string: String? { fatalError() }
}

@frozen public struct ListObject: Sendable {
    @usableFromInline let storage: ObjectStorage
    public var id: String { fatalError() }
    public var fields: Fields { fatalError() }
}

public struct ListItem: Sendable {
    public var reuseIdentifier: String
    public var content: Fields
    public init(identity: String? = nil, reuseIdentifier: String, content: Fields = Fields()) { fatalError() }
}

/// The present version has more methods, some of them before these.
open class ListSectionController {
    public init() {}
    open func didUpdate(to object: ListObject) {}
    open func item(at index: Int) -> ListItem { fatalError() }
    open func sizeForItem(at index: Int) -> Size { fatalError() }
    open func numberOfItems() -> Int { 1 }
}

public struct ListSectionTraits: Sendable {}
