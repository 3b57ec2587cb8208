// The Swift face of libdbus.
