// SPDX-License-Identifier: Apache-2.0

/// The rights of administrators, as polkit divides them: the actions of `org.listd.Listd1.policy`.
enum AdministratorAction: String, CaseIterable {
    /// Create lists where not everybody may, remove and write to lists of others, call methods of their views.
    case manageLists = "org.listd.listd1.manage-lists"
    /// Load and unload plugins.
    case loadPlugins = "org.listd.listd1.load-plugins"
    /// Reload the configuration, set the log level.
    case manageDaemon = "org.listd.listd1.manage-daemon"
    /// Read restricted lists, what their views show, dumps and backups.
    case inspect = "org.listd.listd1.inspect"
}
