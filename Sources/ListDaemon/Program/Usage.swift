// SPDX-License-Identifier: Apache-2.0

extension Arguments {
    /// The text that `--help` prints.
    package static let usage = """
        Usage: listd [--bus system|session|ADDRESS] [--direct ADDRESS|none] [--config DIR] [--state DIR|none]
                     [--plugins DIR[:DIR…]] [--log-level error|warning|notice|info|debug]
               listd --check-config [--config DIR]
               listd --version | --help

        A list engine on D-Bus.

          --bus WHICH        the bus to serve (as a service: system; otherwise: session)
          --direct ADDRESS   where direct clients are accepted (as a service: the socket that systemd passes,
                             else unix:path=$RUNTIME_DIRECTORY/direct.sock; otherwise: none)
          --config DIR       configuration (as a service: $CONFIGURATION_DIRECTORY or /etc/listd;
                             otherwise: /etc/listd as root, else $XDG_CONFIG_HOME/listd)
          --state DIR        where lists are kept (as a service: $STATE_DIRECTORY or /var/lib/listd;
                             otherwise: $XDG_STATE_HOME/listd); none keeps nothing
          --plugins DIRS     where plugins are searched, in this order (/usr/local/lib/listd/plugins and /usr/lib/listd/plugins;
                             installed elsewhere: PREFIX/lib/listd/plugins; a built listd: its build/plugins)
          --log-level LEVEL  the least important messages to write (info)
          --check-config     read the configuration, print what is wrong, exit 1 if anything is
          --worker ADDRESS   internal: run as a plugin worker for the daemon at ADDRESS

        Exit codes: 0 done, 1 configuration, 64 usage, 69 no bus or name taken, 74 store.
        """
}
