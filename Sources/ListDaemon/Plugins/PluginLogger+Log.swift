internal import PluginAPI

extension PluginLogger {
    /// The plugin's voice in the daemon's log.
    ///
    /// A plugin that talks too much is limited like a client. What listd says about it is not limited with that: it is what tells
    /// that the plugin has died.
    init(_ log: Log, plugin: String) {
        let log = log.with(.plugin(plugin))
        self.init { level, message in
            log.write(
                Log.Level(rawValue: level.rawValue) ?? .info, { "\(plugin): \(message)" },
                limitedBy: "what plugin \(plugin) says")
        }
    }
}
