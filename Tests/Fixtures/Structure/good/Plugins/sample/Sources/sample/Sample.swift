// SPDX-License-Identifier: Apache-2.0

actor Sample {
    private var title = ""
}
