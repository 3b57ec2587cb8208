// SPDX-License-Identifier: Apache-2.0

final class Open {
    var plain = 0
    var observed = 0 { didSet { observed += 1 } }
    weak var parent: Open?
    static var shared = 0
    /// What is public of a type that is not is no interface.
    public var publicOfInternal = 0
    #if os(Linux)
    var conditional = 0
    #endif

    final class Inside {
        var nested = 0
    }
}

actor OpenActor {
    var first = 0, second = 0
}

/// Interface in part.
public final class OpenInterface {
    /// The module sets it.
    public internal(set) var limited = 0
    var unlimited = 0
}
