// SPDX-License-Identifier: Apache-2.0

// A plugin with every kind of misbehaviour that listd must survive. The objects of a list choose the misbehaviour.
//
// Fields of an object: `do` names the misbehaviour, and `at` the callback in which it happens. `once` is the path
// of a named pipe. The misbehaviour then happens as often as there are bytes in the pipe.
import Glibc
import PluginAPI
import Synchronization

#if SECOND
let version = "2.0"
#else
let version = "1.0"
#endif

// The same plugin under another name. The items of `Steady` have another reuse identifier.
#if TWIN
let (pluginName, steadyReuse) = ("twin", "twin")
#else
let (pluginName, steadyReuse) = ("horrors", "steady")
#endif

/// A misbehaviour of a plugin.
enum Horror: String {
    case trap, overflow, loop, exit, abort, segfault, deadlock, pipe, memory, changes, print, fork, escape, chatter,
        three, deep, babble, flood, mute

    func happen() {
        switch self {
        case .trap: fatalError("a horror")
        case .overflow:
            let numbers = [1, 2, 3]
            Swift.print(numbers[Int(version.utf8.count) * 100])
        case .loop: while true { _ = getpid() }
        case .exit: Glibc.exit(0)
        case .abort: Glibc.abort()
        case .segfault: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .deadlock:
            var mutex = pthread_mutex_t()
            pthread_mutex_init(&mutex, nil)
            pthread_mutex_lock(&mutex)
            pthread_mutex_lock(&mutex)
        case .pipe:
            var ends: [Int32] = [0, 0]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            close(ends[0])
            write(ends[1], "x", 1)
            close(ends[1])
        case .changes: if forbidden.contains(where: { $0() }) { Glibc.abort() }
        case .print:
            for number in 1...1000 { Swift.print("line \(number)") }
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
            var written = 0
            while written < long.count { written += max(0, write(2, Array(long[written...]), long.count - written)) }
            Swift.print("\nthe end")
        case .fork:
            if makeChild() == 0 { while true { pause() } }
            Glibc.abort()
        case .escape: leaveChild()
        case .chatter:
            for number in 1...15 { Swift.print("line \(number)") }
            fatalError("a horror")
        case .deep: Swift.print(depth(1))
        // Descriptor 3 is the socket to the daemon.
        case .babble: write(3, "\u{7f}", 1)
        case .flood: while true { write(3, "\u{7}", 1) }
        case .mute: shutdown(3, Int32(SHUT_WR))
        case .three: for number in 16...18 { Swift.print("line \(number)") }
        case .memory:
            for _ in 0..<1024 {
                guard let block = malloc(16 << 20) else { Glibc.abort() }
                memset(block, 1, 16 << 20)
            }
        }
    }
}

/// Calls itself until the stack ends.
@inline(never)
private func depth(_ number: Int) -> Int {
    let text = String(number)
    return withExtendedLifetime(text) { depth(number + 1) + text.utf8.count }
}

/// Calls fork, which Swift does not show to its callers.
private func makeChild() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}

/// Starts a grandchild whose parent has tried to leave the session and the process group. Prints the grandchild's
/// process id, and dies.
private func leaveChild() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    if makeChild() == 0 {
        setsid()
        setpgid(0, 0)
        if makeChild() == 0 {
            var own = getpid()
            write(ends[1], &own, MemoryLayout<pid_t>.size)
            while true { pause() }
        }
        _exit(0)
    }
    var left: pid_t = 0
    read(ends[0], &left, MemoryLayout<pid_t>.size)
    Swift.print("left behind: \(left)")
    Glibc.abort()
}

/// Calls that change files, start a program or end another process. Each returns whether the call succeeded.
let forbidden: [@Sendable () -> Bool] = [
    { open("/tmp/listd-horror-\(getpid())", O_CREAT | O_WRONLY, 0o600) >= 0 },
    { mkdir("/tmp/listd-horror-\(getpid())", 0o700) == 0 },
    { symlink("/etc", "/tmp/listd-horror-\(getpid())") == 0 },
    { open("/proc/self/comm", O_WRONLY) >= 0 },
    {
        var process: pid_t = 0
        return posix_spawn(&process, "/bin/true", nil, nil, [nil], [nil]) == 0
    },
    { kill(getppid(), 0) == 0 },
    { open("/dev/null", O_WRONLY) < 0 },
]

/// A byte in a named pipe, which the first reader consumes. Without a path there is no limit.
struct Token {
    private let path: String

    init(_ path: String) { self.path = path }

    var isThere: Bool {
        guard !path.isEmpty else { return true }
        let file = open(path, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var byte: UInt8 = 0
        return read(file, &byte, 1) == 1
    }
}

/// The number of section controllers created so far, which numbers them in order.
nonisolated(unsafe) var controllersMade: Int64 = 0

final class HorrorController: ListSectionController, ListDisplayDelegate, ListWorkingRangeDelegate, ListScrollDelegate,
    ListSupplementarySource
{
    private var object: ListObject?

    override init() {
        super.init()
        displayDelegate = self
        workingRangeDelegate = self
        scrollDelegate = self
        supplementarySource = self
    }

    private func text(_ key: String) -> String { object?.fields[key]?.string ?? "" }

    /// Whether the object requests misbehaviour in this callback, and its token has not been consumed.
    private func wants(_ callback: String) -> Bool {
        guard text("at") == callback else { return false }
        return Token(text("once")).isThere
    }

    private func maybe(_ callback: String) {
        guard wants(callback) else { return }
        Horror(rawValue: text("do"))?.happen()
    }

    override func didUpdate(to object: ListObject) {
        self.object = object
        maybe("update")
        switch text("at") {
        case "timer": context?.after(.milliseconds(1)) { [weak self] in self?.maybe("timer") }
        case "batch":
            context?.after(.milliseconds(1)) { [weak self] in
                self?.context?.performBatch(updates: { _ in self?.maybe("batch") })
            }
        default: break
        }
    }

    override func numberOfItems() -> Int {
        maybe("count")
        return text("do") == "infinite" ? .max : 1
    }

    override func sizeForItem(at index: Int) -> Size {
        maybe("size")
        return Size(width: text("do") == "nan" ? .nan : 100, height: text("do") == "nan" ? .infinity : 40)
    }

    override func item(at index: Int) -> ListItem {
        var content: Fields = ["title": .string(object?.id ?? ""), "version": .string(version)]
        if text("do") == "huge", wants("item") {
            content["huge"] = .string(String(repeating: "x", count: 1 << 30))
        } else {
            maybe("item")
        }
        return ListItem(reuseIdentifier: "horror", content: content)
    }

    override func didSelectItem(at index: Int) { maybe("selection") }
    override func didHighlightItem(at index: Int) { maybe("highlight") }

    override func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool {
        maybe("action")
        return action == "handled"
    }

    override func canMoveItem(at index: Int) -> Bool {
        maybe("move")
        return true
    }

    func sectionControllerWillDisplay(_ controller: ListSectionController) { maybe("display") }
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController) { maybe("endDisplay") }
    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) { maybe("workingRange") }
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) {}
    func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent) { maybe("scroll") }
    var supportedElementKinds: Set<ElementKind> { text("at") == "header" ? [.header] : [] }
    func sizeForSupplementaryElement(of kind: ElementKind) -> Size { Size(width: 100, height: 20) }

    func supplementaryElement(of kind: ElementKind) -> ListItem {
        maybe("header")
        return ListItem(reuseIdentifier: "header")
    }
}

/// A section controller that dies in its initializer.
final class StillbornController: ListSectionController {
    override init() { fatalError("a horror") }
}

/// Shows its object's fields, with the version of the plugin that made the item and the controller's number in the
/// process.
final class SteadyController: ListSectionController {
    private var object: ListObject?
    private let number: Int64

    override init() {
        controllersMade += 1
        number = controllersMade
        super.init()
    }

    override func didUpdate(to object: ListObject) { self.object = object }
    override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: 40) }

    override func item(at index: Int) -> ListItem {
        ListItem(
            reuseIdentifier: steadyReuse,
            content: [
                "title": .string(object?.id ?? ""), "value": object?.fields["value"] ?? .int64(0),
                "version": .string(version), "made as": .int64(number),
            ])
    }
}

/// Misbehaves as the object requests when listd requests its number of items, which needs no section controller.
func countItems(of object: ListObject) -> Int {
    if object.fields["at"]?.string == "traits", Token(object.fields["once"]?.string ?? "").isThere {
        Horror(rawValue: object.fields["do"]?.string ?? "")?.happen()
    }
    return 1
}

/// Changes or selects its item (`do`) repeatedly without end. `once` limits how often this starts, as for every
/// misbehaviour.
final class FloodController: ListSectionController {
    private var count: Int64 = 0

    override func didUpdate(to object: ListObject) {
        let selects = object.fields["do"]?.string == "select"
        guard Token(object.fields["once"]?.string ?? "").isThere else { return }
        flood(ListSectionControllerReference(self), selects)
    }

    private func flood(_ reference: ListSectionControllerReference<FloodController>, _ selects: Bool) {
        reference.perform { controller in
            if selects {
                controller.context?.selectItem(at: 0)
                controller.context?.deselectItem(at: 0)
            } else {
                controller.context?.performBatch(updates: { batch in
                    controller.count += 1
                    batch.reloadItems(at: [0])
                })
            }
            controller.flood(reference, selects)
        }
    }

    override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: 40) }

    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "flood", content: ["count": .int64(count)])
    }
}

/// The sink of the last source that was started, for `TapController`.
let tapped = Mutex<DataSourceSink?>(nil)

/// Changes its object in the source when its item is selected, or an action is invoked on it.
final class TapController: ListSectionController {
    override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: 40) }
    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "tap", content: ["taps": context?.object?.fields["taps"] ?? .int64(0)])
    }

    private func tap() {
        guard let object = context?.object, let sink = tapped.withLock({ $0 }) else { return }
        let taps: Int64 = if case .int64(let taps)? = object.fields["taps"] { taps } else { 0 }
        // Two events, of which the list can handle the first only when this callback has returned.
        for more in 1...2 as ClosedRange<Int64> {
            guard let new = try? object.with(fields: ["taps": .int64(taps + more)]) else { return }
            sink.changes(upserts: [.init(new)])
        }
    }

    override func didSelectItem(at index: Int) { tap() }
    override func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool {
        // An event that listd refuses.
        if action == "misplace", let object = context?.object {
            tapped.withLock { $0 }?.changes(upserts: [.init(object, position: .after("gone"))])
        } else {
            tap()
        }
        return true
    }
}

/// Sends three objects, or misbehaves: `trap in start`, `exit in init`, `throw in start`, `loop in descriptor`,
/// `flood in start` and the like. `write PATH` makes a file first. With `long in id` or `long in fields`, it sends an object larger than the limits.
final class HorrorSource: DataSource {
    private let context: DataSourceContext
    private let words: [Substring]

    init(_ context: DataSourceContext) throws {
        self.context = context
        words = context.argument.split(separator: " ")
        try maybe("init")
    }

    private func maybe(_ place: Substring) throws {
        guard words.count == 3, words[2] == place else { return }
        if words[0] == "throw" { throw ListError(.pluginFailed, "a horror was thrown") }
        Horror(rawValue: String(words[0]))?.happen()
    }

    /// Sends the same object with a higher count repeatedly without end.
    private func flood() {
        for number in 0... {
            let object = try? ListObject(id: "flood", type: "row", fields: ["count": .int64(Int64(number))])
            context.sink.replace([object].compactMap { $0 })
        }
    }

    func start() throws {
        tapped.withLock { $0 = context.sink }
        if words.first == "flood" { flood() }
        if words.first == "write", let path = words.dropFirst().first {
            let file = open(String(path), O_CREAT | O_WRONLY, 0o600)
            guard file >= 0 else { throw ListError(.pluginFailed, "\(path): errno \(errno)") }
            close(file)
        }
        if words.first == "long" {
            let id = words.last == "id" ? String(repeating: "x", count: 5000) : "x"
            let fields = words.last == "id" ? 0 : 9_000_000
            return context.sink.replace([
                try ListObject(id: id, type: "row", fields: ["text": .string(String(repeating: "x", count: fields))])
            ])
        }
        try maybe("start")
        context.sink.replace(
            try (0..<3).map { number in
                try ListObject(
                    id: "from the source \(number)", type: "row", fields: ["version": .string(version)])
            })
        context.after(.milliseconds(20)) { try? self.maybe("timer") }
        var ends: [Int32] = [0, 0]
        guard words.last == "descriptor", pipe(&ends) == 0 else { return }
        write(ends[1], "x", 1)
        context.whenReadable(ends[0]) { try? self.maybe("descriptor") }
    }
}

enum Horrors: Plugin {
    static func manifest(for host: PluginHost) throws -> PluginManifest {
        if try host.settings.boolean("Refuse") == true { throw ListError(.pluginFailed, "no horrors today") }
        if let horror = host.settings["Manifest"] { Horror(rawValue: horror)?.happen() }
        // The newer version waits until the test writes a byte to this pipe.
        if version == "2.0", let gate = host.settings["Gate"] {
            var byte: UInt8 = 0
            read(open(gate, O_RDONLY), &byte, 1)
        }
        host.logger.notice("horrors \(version) in process \(getpid())")
        return PluginManifest(
            name: pluginName, version: version,
            sectionControllers: [
                .controller("Horror") { HorrorController() }, .controller("Steady") { SteadyController() },
                .controller("Flood") { FloodController() }, .controller("Stillborn") { StillbornController() },
                .controller("Tap") { TapController() },
                .controller(
                    "Traits",
                    traits: {
                        ListSectionTraits(
                            numberOfItems: countItems,
                            shape: { _, _ in
                                let size = Size(width: 100, height: 40)
                                return ListSectionShape(metrics: SectionMetrics(itemCount: 1, uniformItemSize: size))
                            })
                    }, { SteadyController() }),
            ],
            dataSources: [
                .source("source", hints: ["count": .percent, "size": .bytes]) { try HorrorSource($0) }
            ])
    }
}

/// The entry point that listd looks up in the library.
@c public func listd_plugin(_ call: PluginCall) { exportPlugin(Horrors.self, to: call) }
