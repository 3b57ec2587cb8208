// SPDX-License-Identifier: Apache-2.0

internal import ListKit
@_spi(Daemon) internal import PluginAPI

/// The callbacks of a plugin for which breadcrumbs are written. The raw value is stored in a breadcrumb.
enum PluginCallback: UInt8, Sendable, CustomStringConvertible {
    case manifest = 1
    case make, update, count, size, item, display, endDisplay, workingRange, selection, move, scroll, batch
    case timer, shape
    case sourceMake, sourceStart, sourceStop, sourceTimer, sourceDescriptor, sourceWrite
    case action

    /// Converts a callback of a section controller.
    init(_ callback: ListControllerCall.Callback) {
        switch callback {
        case .make: self = .make
        case .update: self = .update
        case .count: self = .count
        case .size: self = .size
        case .item: self = .item
        case .display: self = .display
        case .endDisplay: self = .endDisplay
        case .workingRange: self = .workingRange
        case .selection: self = .selection
        case .action: self = .action
        case .move: self = .move
        case .scroll: self = .scroll
        case .batch: self = .batch
        }
    }

    /// Converts a callback of a data source.
    init(_ callback: DataSourceCallback) {
        switch callback {
        case .make: self = .sourceMake
        case .start: self = .sourceStart
        case .stop: self = .sourceStop
        case .timer: self = .sourceTimer
        case .descriptor: self = .sourceDescriptor
        case .write: self = .sourceWrite
        }
    }

    /// The name of the method in the plugin API, for messages.
    var description: String {
        switch self {
        case .manifest: "manifest"
        case .make: "init"
        case .update: "didUpdate"
        case .count: "numberOfItems"
        case .size: "sizeForItem"
        case .item: "item"
        case .display: "willDisplay"
        case .endDisplay: "didEndDisplaying"
        case .workingRange: "the working range delegate"
        case .selection: "selection"
        case .action: "handleAction"
        case .move: "moveItem"
        case .scroll: "the scroll delegate"
        case .batch: "performBatch"
        case .timer: "a timer"
        case .shape: "traits"
        case .sourceMake: "init"
        case .sourceStart: "start"
        case .sourceStop: "stop"
        case .sourceTimer: "a timer"
        case .sourceDescriptor: "a descriptor's callback"
        case .sourceWrite: "write"
        }
    }
}
