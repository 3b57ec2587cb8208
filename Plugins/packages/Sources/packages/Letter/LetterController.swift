// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// Shows the packages of one letter: `packages/LetterController`.
///
/// An item's identity is `name:architecture`, and its reuse identifier is `package`. Its content has `title` (the
/// name), `detail` (version and size), and `summary`, `architecture`, `section`, `state` and `size` as in the
/// object. The header has `title` and `detail` (the number of packages).
final class LetterController: ListBindingSectionController, ListSupplementarySource {
    private static let rowHeight = 52.0
    private static let headerHeight = 28.0

    override init() {
        super.init()
        supplementarySource = self
    }

    override func viewModels(for object: ListObject) -> [ListItem] {
        (object.fields["packages"]?.array ?? []).compactMap(\.dictionary).compactMap { package in
            guard let identity = package["id"]?.string else { return nil }
            return ListItem(identity: identity, reuseIdentifier: "package", content: content(of: package))
        }
    }

    override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size {
        fullWidthSize(extent: Self.rowHeight)
    }

    private func content(of package: [String: Value]) -> Fields {
        let size = package["size"]?.int.map { ", \(Self.sizeText(bytes: $0))" } ?? ""
        var content: Fields = [
            "title": package["name"] ?? "",
            "detail": .string((package["version"]?.string ?? "") + size),
        ]
        for key in ["summary", "architecture", "section", "state", "size"] { content[key] = package[key] }
        return content
    }

    /// Returns a size as apt prints it: in decimal units, with one decimal for numbers below ten.
    private static func sizeText(bytes: Int) -> String {
        var amount = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while amount >= 999.5, unit + 1 < units.count {
            amount /= 1000
            unit += 1
        }
        guard unit > 0, amount < 9.95 else { return "\(Int(amount.rounded())) \(units[unit])" }
        let tenths = Int((amount * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// Returns the size of a row over the whole width of the list, or of a column over its whole height.
    private func fullWidthSize(extent: Double) -> Size {
        guard let context else { return Size(width: 0, height: extent) }
        switch context.scrollDirection {
        case .vertical: return Size(width: context.sectionContainerSize.width, height: extent)
        case .horizontal: return Size(width: extent, height: context.sectionContainerSize.height)
        }
    }

    // MARK: Header

    var supportedElementKinds: Set<ElementKind> { [.header] }

    func sizeForSupplementaryElement(of kind: ElementKind) -> Size { fullWidthSize(extent: Self.headerHeight) }

    func supplementaryElement(of kind: ElementKind) -> ListItem {
        let count = viewModels.count
        return ListItem(
            reuseIdentifier: "heading",
            content: [
                "title": object?.fields["heading"] ?? "",
                "detail": .string(count == 1 ? "1 package" : "\(count) packages"),
            ])
    }
}

/// The installed packages of a Debian system: the data source `packages/installed` and the section controller
/// `packages/LetterController`.
enum PackagesPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let status = host.settings["Status"] ?? "/var/lib/dpkg/status"
        return PluginManifest(
            name: "packages", version: "1.0.0",
            sectionControllers: [.controller("LetterController") { LetterController() }],
            dataSources: [.source("installed") { context in try StatusSource(context, usualPath: status) }])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(PackagesPlugin.self, to: call) }
