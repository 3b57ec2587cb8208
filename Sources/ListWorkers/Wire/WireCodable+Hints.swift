// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

extension FieldHint: WireCodable {}
