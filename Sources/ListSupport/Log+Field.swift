// SPDX-License-Identifier: Apache-2.0

extension Log {
    /// A fact about a message that the journal can be searched by.
    package struct Field: Sendable, Equatable {
        /// The journal's name of the field.
        package let name: String
        /// Its value, as text.
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

    /// The kind of an important event, the same in every version, so that an admin can watch for it (`MESSAGE_ID`).
    package enum Event: String, Sendable, CaseIterable {
        /// The lists are there and the name is owned.
        case ready = "26c32c3299314d5e8d1eb2e1264beb1a"
        /// The end was asked for.
        case stopping = "985101c7f1a64de4a240bbd959287a48"
        /// A new configuration is in force.
        case reloaded = "9b8ed4c5728446538a4f61b3c9214343"
        /// A configuration has a fault; what it replaces stays in force.
        case configurationFault = "2c2e9eac0d7a4d17b280430376124eec"
        /// The stored lists could not be read and were set aside.
        case storeDamaged = "2928a6073d134161a250bc5cc16d46ca"
        /// A file of the store was taken away or cut while it was open; what is stored is lost.
        case storeLost = "db2776ee862043c28a38534c37668b5f"
        /// An update could not be stored and was refused.
        case storeFailed = "a97e5267da93404882cbdccc5e1ad55b"
        /// A list's source failed; the list keeps what it has.
        case sourceFailed = "e1cef21201eb4743a649aaf522deaf41"
        /// A plugin ended or stopped answering, and is started again.
        case pluginRestarted = "a6f08d59dfc64a17ab6a973fbdb0a06a"
        /// A plugin ended too often and is left alone.
        case pluginFailed = "be8e250753e44a7fa0069b21aac23e10"
    }
}
