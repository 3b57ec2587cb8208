// SPDX-License-Identifier: Apache-2.0

extension PrivateBus.Kind {
    /// Returns the text of the configuration file.
    func configuration(socket: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>\(isSystem ? "system" : "session")</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
        \(policy)
        \(limits.sorted { $0.key < $1.key }.map { "  <limit name=\"\($0.key)\">\($0.value)</limit>" }
            .joined(separator: "\n"))
        </busconfig>
        """
    }

    private var isSystem: Bool {
        if case .system = self { true } else { false }
    }

    private var limits: [String: Int] {
        let generous = [
            "max_incoming_bytes": 1_000_000_000, "max_outgoing_bytes": 1_000_000_000,
            "max_message_size": 1_000_000_000, "max_completed_connections": 100_000,
            "max_connections_per_user": 100_000, "max_match_rules_per_connection": 50_000,
            "max_replies_per_connection": 50_000,
        ]
        switch self {
        case .session: return generous
        case .system: return [:]
        case .limited(let limits): return generous.merging(limits) { $1 }
        }
    }

    private var policy: String {
        guard case .system(let policy) = self else {
            return """
                  <policy context="default">
                    <allow user="*"/>
                    <allow send_destination="*" eavesdrop="true"/>
                    <allow eavesdrop="true"/>
                    <allow own="*"/>
                  </policy>
                """
        }
        return """
              <policy context="default">
                <allow user="*"/>
                <deny own="*"/>
                <deny send_type="method_call"/>
                <allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/>
                <allow receive_type="method_return"/>
                <allow receive_type="error"/>
                <allow receive_type="signal"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
              </policy>
            \(policy)
            """
    }
}
