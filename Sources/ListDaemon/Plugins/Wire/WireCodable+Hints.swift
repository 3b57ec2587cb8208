internal import PluginAPI

extension FieldHint: WireCodable {}
