// SPDX-License-Identifier: Apache-2.0

public import CPluginABI

/// One question of the loader to a plugin's library, as a C struct.
public typealias PluginCall = UnsafeMutablePointer<listd_plugin_call>

/// Answers the loader's question with the plugin's versions, or with the plugin itself.
///
/// The one line that every plugin has; the function must be public and have this very name:
///
/// ```swift
/// @c public func listd_plugin(_ call: PluginCall) { exportPlugin(Greenhouse.self, to: call) }
/// ```
///
/// It is compiled into the plugin, so that it returns the versions that the plugin was built with; the type is used
/// only once they were found to fit.
@safe @_alwaysEmitIntoClient
public func exportPlugin(_ plugin: @autoclosure () -> any Plugin.Type, to call: PluginCall) {
    // The loader owns the memory behind the pointer for the time of the call.
    switch unsafe call.pointee.ask {
    case UInt32(listd_plugin_ask_record):
        unsafe call.pointee.magic = listd_plugin_magic
        unsafe call.pointee.api_major = UInt32(LISTD_PLUGIN_API_MAJOR)
        unsafe call.pointee.api_minor = UInt32(LISTD_PLUGIN_API_MINOR)
        unsafe call.pointee.swift_version = compilerVersionNumber()
        unsafe call.pointee.compiler = unsafe listd_compiler()
    case UInt32(listd_plugin_ask_plugin):
        unsafe call.pointee.result?.assumingMemoryBound(to: (any Plugin.Type)?.self).pointee = plugin()
    default:
        break
    }
}
