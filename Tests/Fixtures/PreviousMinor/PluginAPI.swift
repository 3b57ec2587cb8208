// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CPluginABI
// The plugin API as of the previous minor version.
@_exported public import ListKit

public struct PluginSettings: Sendable {
    public subscript(key: String) -> String? { fatalError() }
}

public struct PluginHost: Sendable {
    public var settings: PluginSettings { fatalError() }
}

public struct SectionControllerEntry: Sendable {
    public static func controller(
        _ name: String, traits: (@Sendable () -> ListSectionTraits)? = nil,
        _ make: @escaping @Sendable () -> ListSectionController
    ) -> SectionControllerEntry { fatalError() }
}

public struct DataSourceEntry: Sendable {}

public struct PluginManifest: Sendable {
    public init(
        name: String, version: String, sectionControllers: [SectionControllerEntry] = [],
        dataSources: [DataSourceEntry] = []
    ) { fatalError() }
}

public protocol Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest
}

public typealias PluginCall = UnsafeMutablePointer<listd_plugin_call>

@_alwaysEmitIntoClient
public func exportPlugin(_ plugin: @autoclosure () -> any Plugin.Type, to call: PluginCall) {
    switch call.pointee.ask {
    case UInt32(listd_plugin_ask_record):
        call.pointee.magic = listd_plugin_magic
        call.pointee.api_major = UInt32(LISTD_PLUGIN_API_MAJOR)
        call.pointee.api_minor = UInt32(LISTD_PLUGIN_API_MINOR) - 1
        call.pointee.swift_version = SWIFT_VERSION
        call.pointee.compiler = listd_compiler()
    default:
        call.pointee.result?.assumingMemoryBound(to: (any Plugin.Type)?.self).pointee = plugin()
    }
}
