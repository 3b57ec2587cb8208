// SPDX-License-Identifier: Apache-2.0

extension Log {
    /// A field of a journal entry, by which entries can be searched.
    package struct Field: Sendable, Equatable {
        /// The name of the journal field.
        package let name: String
        /// The value of the field, as text.
        package let value: String

        /// The name of the adapter that the message is about.
        package static func adapter(_ name: String) -> Field { Field(name: "LISTD_ADAPTER", value: name) }

        /// The name of the plugin that the message is about.
        package static func plugin(_ name: String) -> Field { Field(name: "LISTD_PLUGIN", value: name) }

        /// The connection name of the client that caused the message.
        package static func client(_ name: String) -> Field { Field(name: "LISTD_CLIENT", value: name) }

        /// The Unix user that caused the message.
        package static func user(_ number: UInt32) -> Field { Field(name: "LISTD_USER", value: String(number)) }

        /// The process that caused the message.
        package static func process(_ number: Int32) -> Field {
            Field(name: "LISTD_PROCESS", value: String(number))
        }

        /// The revision of the adapter that the message is about.
        package static func revision(_ number: UInt64) -> Field {
            Field(name: "LISTD_REVISION", value: String(number))
        }

        /// The file that the message is about.
        package static func file(_ path: String) -> Field { Field(name: "LISTD_FILE", value: path) }
    }

    /// The kind of an important event, constant across versions, so that administrators can watch for it
    /// (`MESSAGE_ID`).
    package enum Event: String, Sendable, CaseIterable {
        /// All lists are loaded, and listd owns its bus name.
        case ready = "26c32c3299314d5e8d1eb2e1264beb1a"
        /// listd was asked to stop.
        case stopping = "985101c7f1a64de4a240bbd959287a48"
        /// The new configuration is in force.
        case reloaded = "9b8ed4c5728446538a4f61b3c9214343"
        /// The configuration has a mistake; the previous configuration stays in force.
        case configurationFault = "2c2e9eac0d7a4d17b280430376124eec"
        /// The stored lists could not be read; their file was set aside.
        case storeDamaged = "2928a6073d134161a250bc5cc16d46ca"
        /// A file of the store was removed or truncated while it was open; its contents are lost.
        case storeLost = "db2776ee862043c28a38534c37668b5f"
        /// An update could not be stored and was rejected.
        case storeFailed = "a97e5267da93404882cbdccc5e1ad55b"
        /// The source of a list failed; the list keeps its objects.
        case sourceFailed = "e1cef21201eb4743a649aaf522deaf41"
        /// A plugin's process ended or stopped answering, and is restarted.
        case pluginRestarted = "a6f08d59dfc64a17ab6a973fbdb0a06a"
        /// A plugin's process ended too often and is not restarted any more.
        case pluginFailed = "be8e250753e44a7fa0069b21aac23e10"
        /// A plugin was not loaded: its file, its manifest or the plugin itself refused.
        case pluginRefused = "d2a4f6f0c3f84b06a7f0f1d2c6be5b17"
    }
}
