// SPDX-License-Identifier: Apache-2.0

/// The rights of administrators that polkit grants separately: the actions of `org.listd.Listd1.policy`.
enum AdministratorAction: String, CaseIterable {
    /// Create lists if not everybody may, remove other users' lists and write to them, and call methods of their
    /// views.
    case manageLists = "org.listd.listd1.manage-lists"
    /// Load and unload plugins.
    case loadPlugins = "org.listd.listd1.load-plugins"
    /// Reload the configuration, set the log level, restore the store and acknowledge losses.
    case manageDaemon = "org.listd.listd1.manage-daemon"
    /// Read restricted lists, the contents of their views, dumps and backups.
    case inspect = "org.listd.listd1.inspect"
}
