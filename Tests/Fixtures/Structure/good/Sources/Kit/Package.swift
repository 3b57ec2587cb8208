// SPDX-License-Identifier: Apache-2.0

final class NoSourceOfTheModule {
    var title = ""
}
