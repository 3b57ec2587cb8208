// SPDX-License-Identifier: Apache-2.0

final class Open {
    var plain = 0
}
