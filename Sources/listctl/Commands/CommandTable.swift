// SPDX-License-Identifier: Apache-2.0

/// The table of all commands, in the order in which help lists them.
enum CommandTable {
    static let all: [any Command.Type] = [
        ListCommand.self, ShowCommand.self, ViewCommand.self, WatchCommand.self, FilterCommand.self,
        MonitorCommand.self,
        TopCommand.self,
        PushCommand.self, AppendCommand.self, PatchCommand.self, MoveCommand.self, DeleteCommand.self,
        InvokeCommand.self,
        CreateCommand.self, RenameCommand.self, RemoveCommand.self,
        StatisticsCommand.self, ClientsCommand.self, ReloadCommand.self, CheckCommand.self,
        LossesCommand.self, BackupCommand.self, RestoreCommand.self,
        PluginsCommand.self, LoadCommand.self, UnloadCommand.self, NewPluginCommand.self,
        HelpCommand.self, CompletionCommand.self, CompleteCommand.self, VersionCommand.self,
    ]

    /// Returns the command with the given name.
    static func command(named name: String) -> (any Command.Type)? { all.first { $0.syntax.name == name } }
}
