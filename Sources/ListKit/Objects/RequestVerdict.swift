// SPDX-License-Identifier: Apache-2.0

/// The result of staging one request.
struct RequestVerdict {
    var id: RequestID
    var error: ListError?
    var droppedDuplicates = 0
    var isRefused = false
}
