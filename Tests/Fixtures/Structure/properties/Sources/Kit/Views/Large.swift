// SPDX-License-Identifier: Apache-2.0

final class Twelve {
    private let one = 1, two = 2, three = 3, four = 4, five = 5, six = 6
    private var seven = 7, eight = 8, nine = 9, ten = 10, eleven = 11, twelve = 12
    private static let unit = 1
    var sum: Int { one + two }
}

final class Large {
    private let one = 1, two = 2, three = 3, four = 4, five = 5, six = 6
    private var seven = 7, eight = 8, nine = 9, ten = 10, eleven = 11, twelve = 12
    private let thirteen: Int
}

actor LargeActor {
    private let (one, two, three, four, five, six) = (1, 2, 3, 4, 5, 6)
    private let (seven, eight, nine, ten, eleven, twelve, thirteen) = (7, 8, 9, 10, 11, 12, 13)
}
