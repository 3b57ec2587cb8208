// SPDX-License-Identifier: Apache-2.0

final class Wide {
    final class Part {}
}

final class Narrow {}
