// SPDX-License-Identifier: Apache-2.0

public import CPluginABI

/// One call of a plugin's exported function by the loader, as a pointer to a C struct for question and answer.
public typealias PluginCall = UnsafeMutablePointer<listd_plugin_call>

/// Answers a call of the loader, with the versions that the plugin was built with or with the plugin type.
///
/// Every plugin exports a public function `listd_plugin`, which calls this function:
///
/// ```swift
/// @c public func listd_plugin(_ call: PluginCall) { exportPlugin(Greenhouse.self, to: call) }
/// ```
///
/// `exportPlugin` is compiled into the plugin, so that it returns the versions that the plugin was built with. The
/// loader asks for the type only after it has checked the versions.
@safe @_alwaysEmitIntoClient
public func exportPlugin(_ plugin: @autoclosure () -> any Plugin.Type, to call: PluginCall) {
    // The loader owns the memory behind the pointer, which is valid during the call.
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
