// SPDX-License-Identifier: Apache-2.0

public import PluginAPI

/// Shows one entry of a directory: `files/EntryController`.
///
/// The item's reuse identifier is the entry's kind. Its content has `title` (the name), `detail` (the size of a
/// file, the target of a link, else the kind), `icon` and `fallback-icon` (names in freedesktop icon themes),
/// `mime`, `kind`, and `size`, `modified`, `path` and `depth` as in the object. The first directory and the first
/// entry after the directories have a header with `title`.
final class EntryController: ListBindingSingleSectionController, ListSupplementarySource {
    private static let rowHeight = 44.0
    private static let headerHeight = 28.0

    private let types: MimeTypes

    init(types: MimeTypes) {
        self.types = types
        super.init()
        supplementarySource = self
    }

    /// The sections as they follow from their entries alone, so that a directory of 100,000 entries has its first picture
    /// without 100,000 controllers.
    static func traits(_ types: MimeTypes) -> ListSectionTraits {
        ListSectionTraits(
            numberOfItems: { _ in 1 },
            shape: { entry, container in
                ListSectionShape(
                    metrics: SectionMetrics(
                        itemCount: 1, uniformItemSize: size(rowHeight, container.direction, container.size),
                        headerLength: heading(of: entry) == nil ? 0 : headerHeight))
            },
            viewModels: { [item(of: $0, types)] })
    }

    override func item(for object: ListObject) -> ListItem { Self.item(of: object, types) }

    private static func item(of object: ListObject, _ types: MimeTypes) -> ListItem {
        let kind = object.fields["kind"]?.string.flatMap(FileKind.init) ?? .file
        let name = object.fields["name"]?.string ?? object.id
        let type = mimeType(of: kind, object.fields, named: name, types)
        var content: Fields = [
            "title": .string(name),
            "detail": .string(detail(of: kind, object.fields)),
            "icon": .string(types.icon(forType: type)),
            "fallback-icon": .string(types.genericIcon(forType: type)),
            "mime": .string(type),
            "kind": .string(kind.rawValue),
        ]
        for key in ["size", "modified", "path", "depth"] { content[key] = object.fields[key] }
        return ListItem(reuseIdentifier: kind.rawValue, content: content)
    }

    override func size(for object: ListObject) -> Size { fullWidthSize(extent: Self.rowHeight) }

    private static func mimeType(
        of kind: FileKind, _ fields: Fields, named name: String, _ types: MimeTypes
    ) -> String {
        switch kind {
        case .file: types.type(forName: name)
        case .directory: "inode/directory"
        case .link: "inode/symlink"
        case .pipe: "inode/fifo"
        case .socket: "inode/socket"
        case .device:
            fields["device"]?.string == DeviceKind.character.rawValue ? "inode/chardevice" : "inode/blockdevice"
        }
    }

    private static func detail(of kind: FileKind, _ fields: Fields) -> String {
        switch kind {
        case .file: ByteCount(bytes: UInt64(clamping: fields["size"]?.int ?? 0)).description
        case .link: fields["target"]?.string.map { "→ \($0)" } ?? "link"
        case .directory, .pipe, .socket, .device: kind.rawValue
        }
    }

    /// Returns the size of a row over the whole width of the list, or of a column over its whole height.
    private func fullWidthSize(extent: Double) -> Size {
        guard let context else { return Size(width: 0, height: extent) }
        return Self.size(extent, context.scrollDirection, context.sectionContainerSize)
    }

    private static func size(_ extent: Double, _ direction: ScrollDirection, _ container: Size) -> Size {
        switch direction {
        case .vertical: Size(width: container.width, height: extent)
        case .horizontal: Size(width: extent, height: container.height)
        }
    }

    // MARK: Header

    private static func heading(of entry: ListObject) -> String? { entry.fields["heading"]?.string }

    private var heading: String? { object.flatMap(Self.heading) }

    var supportedElementKinds: Set<ElementKind> { heading == nil ? [] : [.header] }

    func sizeForSupplementaryElement(of kind: ElementKind) -> Size { fullWidthSize(extent: Self.headerHeight) }

    func supplementaryElement(of kind: ElementKind) -> ListItem {
        ListItem(reuseIdentifier: "heading", content: ["title": .string(heading ?? "")])
    }
}

/// A number of bytes as text for people: `999 B`, `1.5 KiB`, `12 MiB`.
struct ByteCount: CustomStringConvertible {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    let bytes: UInt64

    /// At most four digits, rounded to the nearest; a number below ten has one decimal.
    var description: String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var unit = 0
        var whole = bytes
        var divisor: UInt64 = 1024
        while whole >> 10 >= 1024, unit + 1 < Self.units.count {
            whole >>= 10
            divisor <<= 10
            unit += 1
        }
        let tenths = bytes / divisor * 10 + (bytes % divisor * 10 + divisor / 2) / divisor
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(Self.units[unit])" }
        let rounded = bytes / divisor + (bytes % divisor >= divisor / 2 ? 1 : 0)
        if rounded == 1024, unit + 1 < Self.units.count { return "1.0 \(Self.units[unit + 1])" }
        return "\(rounded) \(Self.units[unit])"
    }
}

/// Directories as living lists: the data source `files/directory?PATH` and the section controller `files/EntryController`.
enum FilesPlugin: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        let types = MimeTypes.installed()
        // Check the settings here, so that a wrong setting makes the plugin fail to load, instead of each of its
        // lists.
        _ = try host.settings.boolean("ShowHidden")
        _ = try DirectoryOptions.maximumCount(in: host.settings)
        return PluginManifest(
            name: "files", version: "1.0.0",
            sectionControllers: [
                .controller("EntryController", traits: { EntryController.traits(types) }) {
                    EntryController(types: types)
                }
            ],
            dataSources: [
                .source("directory", hints: FileEntry.hints) { context in try DirectorySource(context) }
            ])
    }
}

/// The symbol that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(FilesPlugin.self, to: call) }
