// SPDX-License-Identifier: Apache-2.0

/// The outcome of validating one request: its error, or the data of its answer.
struct RequestVerdict {
    var id: RequestID
    var error: ListError?
    var droppedDuplicates = 0
    var isRefused = false
}
