// SPDX-License-Identifier: Apache-2.0

import Glibc
import ListDaemon
import ListKit
import PluginAPI
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Reading a configuration directory")
struct ConfigurationLoaderTests {
    private let directory = TemporaryDirectory()

    private func write(_ text: String, to name: String) throws {
        if let slash = name.firstIndex(of: "/") { unsafe mkdir(directory.file(String(name[..<slash])), 0o755) }
        try Writing.write(text, to: directory.file(name))
    }

    private func load() -> LoadedConfiguration { ConfigurationLoader.load(directory.path) }

    /// Returns the error messages, without the path of the directory.
    private func faults() -> [String] {
        load().faults.map { String($0.description.dropFirst(directory.path.count + 1)) }
    }

    @Test("the configuration directory is missing or empty → the defaults are used, without an error")
    func empty() {
        for path in [directory.path, directory.path + "/missing"] {
            let loaded = ConfigurationLoader.load(path)
            #expect(loaded.configuration == Configuration() && loaded.faults.isEmpty && !loaded.isDaemonFaulty)
        }
    }

    @Test("the contract's example configuration is read → the result is the list that the example describes")
    func example() throws {
        try write(
            """
            # feed.list
            [List]
            Description=What the greenhouse says
            Source=jsonl:/var/lib/greenhouse/events.jsonl
            WorkingRange=2
            Layout=flow
            StickyHeaders=yes

            [Sections]
            reading=greenhouse/ReadingController
            *=listd/single

            [Hints]
            seen=time-us
            """, to: "feed.list")
        let loaded = load()
        let list = try #require(loaded.configuration.lists["feed"])
        var options = AdapterOptions()
        options.source = .builtIn(.jsonLines, argument: "/var/lib/greenhouse/events.jsonl")
        options.workingRange = 2
        options.stickyHeaders = true
        options.sectionControllers = ["reading": "greenhouse/ReadingController", "*": "listd/single"]
        options.hints = ["seen": .timeInMicroseconds]
        #expect(list.options == options && list.description == "What the greenhouse says" && list.name == "feed")
        #expect(list.place(of: "WorkingRange").description == "\(directory.path)/feed.list:5")
        #expect(list.place(of: "reading", inSection: "Sections").line == 10)
        #expect(list.place(of: "Readers").description == "\(directory.path)/feed.list")
        #expect(loaded.faults.isEmpty)
    }

    @Test("drop-ins exist without a listd.conf → they are read, and an error in one counts as an error in listd.conf")
    func dropInsAlone() throws {
        try write("[Limits]\nAdaptersPerUser=1\nViewsPerUser=9\n", to: "listd.conf.d/10.conf")
        try write("[Limits]\nViewsPerUser=2\n[Daemon]\nCreators=group:lists\n", to: "listd.conf.d/20.conf")
        let loaded = load()
        #expect(loaded.faults.isEmpty && !loaded.isDaemonFaulty)
        #expect(loaded.configuration.limits.adaptersPerUser == 1 && loaded.configuration.limits.viewsPerUser == 2)
        #expect(loaded.configuration.creators == .group("lists"))
        try write("[Limits]\nAdapters=1\n", to: "listd.conf.d/30.conf")
        try write("[List]\n", to: "x.list.d/10.conf")
        #expect(load().isDaemonFaulty)
        let expected = [
            "listd.conf.d/30.conf:2: unknown key “Adapters”", "x.list.d: there are drop-ins, but no file x.list",
        ]
        #expect(faults() == expected)
    }

    @Test("a file name is not UTF-8 → it is an error only if the name has the suffix .list")
    func names() throws {
        for name: [CChar] in [[0x6E, -23, 0], [0x2E, 0x78, -23, 0x2E, 0x73, 0x77, 0x70, 0]] {
            try create(name)
        }
        try write("x", to: "old.d/x.conf")
        #expect(faults().isEmpty)
        try create([0x78, -23, 0x2E, 0x6C, 0x69, 0x73, 0x74, 0])
        #expect(faults() == ["x\u{FFFD}.list: the file name is not UTF-8"])
        #expect(!load().isDaemonFaulty)
    }

    /// Creates an empty file whose name consists of the given bytes.
    private func create(_ name: [CChar]) throws {
        let path = (directory.path + "/").utf8CString.dropLast() + name
        let file = unsafe open(Array(path), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0)
        close(file)
    }

    @Test("valid and invalid list files → the loader knows the names of all lists")
    func listNames() throws {
        try write("[List]\n", to: "a.list")
        try write("[List]\nFoo=1\n", to: "b.list")
        #expect(load().listNames == [ExactText("a"), ExactText("b")])
    }

    @Test(
        "the time to authenticate is 0 → the configuration has an error")
    func noTime() throws {
        try write("[Limits]\nAuthenticationSeconds=0\n", to: "listd.conf")
        let loaded = load()
        #expect(loaded.isDaemonFaulty)
        #expect(loaded.faults.first.map { "\($0)" }?.contains("listd.conf:2") == true)
    }

    @Test(
        "a limit is 0 → it does not limit anything, whichever limit it is",
        arguments: [
            "PayloadBytes", "FileBytes", "ObjectBytes", "IdBytes", "AdaptersPerUser", "ViewsPerUser", "ObjectsPerUser",
            "BytesPerUser", "CallsPerConnection", "SubscriptionsPerConnection", "CallsPerUser", "CallsPerSecond",
            "WaitingBytesPerUser",
            "WaitingBytes", "DirectConnections", "DirectConnectionsPerUser",
        ])
    func unlimited(_ key: String) throws {
        try write("[Limits]\n\(key)=0\n", to: "listd.conf")
        let loaded = load()
        #expect(loaded.faults.isEmpty)
        let values = Limits.table.encode(loaded.configuration.limits)
        let name = Limits.table.rows.first { $0.configurationKey == key }?.name
        #expect(name.flatMap { values[$0] } == .uint64(UInt64(Amount.unlimited)))
    }

    @Test(
        "a user or group is unknown → each line where it would have an effect is reported; a group is known → none is"
    )
    func unknownGroups() throws {
        try write(
            "[Daemon]\nCreators=group:nobody-1\n[Limits user:nobody-0]\nViewsPerUser=1\nAdaptersPerUser=1\n"
                + "[Limits user:root]\nViewsPerUser=1\n[Limits user:0]\nViewsPerUser=1\n", to: "listd.conf")
        try write("[Daemon]\nCreators=group:nobody-2\n", to: "listd.conf.d/10.conf")
        try write("[List]\nReaders=group:root\nWriters=group:nobody-3\n", to: "a.list")
        try write("[List]\nWriters=any\n", to: "a.list.d/10.conf")
        try write("[List]\nReaders=group:nobody-4\nFoo=1\n", to: "b.list")
        try write("[List]\nWriters=group:nobody-5\n", to: "c.list")
        try write("[List]\nInvokers=group:nobody-6\n", to: "d.list")
        let loaded = load()
        #expect(loaded.faults.map { $0.place.line } == [3] && Set(loaded.configuration.lists.keys) == ["a", "c", "d"])
        let named = loaded.unknownAccounts.map { String($0.description.dropFirst(directory.path.count + 1)) }
        let end = "; this has no effect until it exists"
        #expect(
            named == [
                "listd.conf:4: [Limits user:nobody-0]: there is no user “nobody-0”" + end,
                "listd.conf.d/10.conf:2: Creators: there is no group “nobody-2”" + end,
                "b.list:2: Readers: there is no group “nobody-4”" + end,
                "c.list:2: Writers: there is no group “nobody-5”" + end,
                "d.list:2: Invokers: there is no group “nobody-6”" + end,
            ])
    }

    @Test("every key of listd.conf is set → each setting has the value from the file")
    func daemon() throws {
        try write(
            """
            [Daemon]
            Creators = group:lists
            [Limits]
            PayloadBytes=1M
            FileBytes=2M
            ObjectBytes=3K
            IdBytes=100
            AdaptersPerUser=1
            ViewsPerUser=2
            ObjectsPerUser=3K
            BytesPerUser=4G
            CallsPerConnection=5
            CallsPerUser=7
            DirectConnections=6
            DirectConnectionsPerUser=4
            AuthenticationSeconds=1min 5s
            [Plugin journal]
            Isolation=none
            CallbackTimeout=500ms
            MemoryMax=64M
            Units=ssh ; and others
            """, to: "listd.conf")
        let loaded = load()
        let configuration = loaded.configuration
        #expect(loaded.faults.isEmpty)
        #expect(configuration.creators == .group("lists"))
        var limits = Limits()
        (limits.payloadBytes, limits.fileBytes, limits.objectBytes, limits.idBytes) = (1 << 20, 2 << 20, 3072, 100)
        (limits.adaptersPerUser, limits.viewsPerUser, limits.objectsPerUser) = (1, 2, 3000)
        (limits.bytesPerUser, limits.callsPerConnection, limits.directConnections) = (4 << 30, 5, 6)
        limits.ownDirectConnectionsPerUser = 4
        limits.callsPerUser = 7
        limits.authenticationTime = .seconds(65)
        #expect(configuration.limits == limits)
        #expect(limits.objects == ObjectLimits(objectBytes: 3072, idBytes: 100))
        #expect(limits.perUser == Quotas.Amounts(adapters: 1, views: 2, objects: 3000, bytes: 4 << 30))
        #expect(limits.bulk.fileBytes == 2 << 20 && limits.bulk.objects == limits.objects)
        let plugin = try #require(configuration.plugins["journal"])
        #expect(plugin.isolation == .none && plugin.callbackTimeout == .milliseconds(500))
        #expect(plugin.memoryMax == 64 << 20 && plugin.settings == ["Units": "ssh ; and others"])
    }

    @Test("plugins have no MemoryMax= → their limit is 512M each, and 4G for files")
    func memory() throws {
        try write("[Plugin files]\nShowHidden=no\n[Plugin other]\nKey=1\n", to: "listd.conf")
        #expect(load().configuration.plugins.mapValues(\.memoryMax) == ["files": 4 << 30, "other": 512 << 20])
        #expect(PluginConfiguration(of: "files").memoryMax == 4 << 30)
        let paths = try PluginConfiguration(["WritablePaths": "/var/lib/a  -/srv/b"], of: "a").writablePaths
        #expect(paths.map(\.path) == ["/var/lib/a", "/srv/b"])
        #expect(paths.map(\.isOptional) == [false, true])
        for text in ["relative", "/a/../etc", "-b"] {
            #expect(throws: ListError.self) { try PluginConfiguration(["WritablePaths": text], of: "a") }
        }
        try write("[Plugin files]\nMemoryMax=1G\n", to: "listd.conf")
        #expect(load().configuration.plugins["files"]?.memoryMax == 1 << 30)
    }

    @Test("no configuration files → the contract's limits apply")
    func limits() {
        let limits = Limits()
        #expect(limits.payloadBytes == 16_777_216 && limits.fileBytes == 67_108_864 && limits.objectBytes == 8_388_608)
        #expect(limits.idBytes == 4096 && limits.adaptersPerUser == 64 && limits.viewsPerUser == 512)
        #expect(limits.objectsPerUser == 10_000_000 && limits.bytesPerUser == 2_147_483_648)
        #expect(limits.subscriptionsPerConnection == 4096)
        #expect(limits.callsPerConnection == 256 && limits.callsPerUser == 1024 && limits.directConnections == 128)
        #expect(limits.authenticationTime == .seconds(10) && limits.directConnectionsPerUser == 32)
    }

    @Test(
        "DirectConnectionsPerUser is missing → it is a quarter of the total limit, at least one if any are allowed",
        arguments: [(0, Amount.unlimited / 4), (1, 1), (7, 1), (8, 2), (1000, 250)])
    func connectionsPerUser(all: Int, ofUser: Int) throws {
        try write("[Limits]\nDirectConnections=\(all)\n", to: "listd.conf")
        #expect(load().configuration.limits.directConnectionsPerUser == ofUser)
    }

    @Test("a file has drop-ins → they are read after the file in order of name, and override its values")
    func dropIns() throws {
        try write("[List]\nWorkingRange=1\nDescription=one\n[Sections]\na=p/A\nb=p/B\n", to: "x.list")
        try write("[List]\nWorkingRange=3\n[Sections]\nb=p/C\n", to: "x.list.d/20-second.conf")
        try write("[List]\nWorkingRange=2\nLayout=none\n", to: "x.list.d/10-first.conf")
        try write("nonsense", to: "x.list.d/readme.txt")
        try write("nonsense", to: "x.list.d/.hidden.conf")
        try write("nonsense", to: "x.list~")
        try write("nonsense", to: ".list")
        try write("[Daemon]\nCreators=any\n", to: "listd.conf")
        try write("[Daemon]\nCreators=administrators\n", to: "listd.conf.d/a.conf")
        let loaded = load()
        #expect(loaded.faults.isEmpty && loaded.configuration.lists.count == 1)
        let list = try #require(loaded.configuration.lists["x"])
        #expect(list.options.workingRange == 3 && list.options.layout == .none && list.description == "one")
        #expect(list.options.sectionControllers == ["a": "p/A", "b": "p/C"])
        #expect(list.place(of: "WorkingRange").description == "\(directory.path)/x.list.d/20-second.conf:2")
        #expect(loaded.configuration.creators == .administrators)
    }

    @Test(
        "a mistake in a list file → reported with file and line, and only that list is left out",
        arguments: [
            ("[List]\nWorkingrange=1\n", "2: unknown key “Workingrange”"),
            ("[List]\nWorkingRange=many\n", "2: WorkingRange: “many” is not a whole number from 0 to 4294967295"),
            (
                "[List]\nSectionControllers=a/b\n",
                "2: SectionControllers: section controllers belong in the section [Sections]"
            ),
            ("[List]\nStickyHeaders=maybe\n", "2: StickyHeaders: “maybe” is not yes or no"),
            ("[List]\n\n# c\nEmpty={\"a\":}\n", "4: Empty: the value is not a JSON object: malformed JSON"),
            (
                "[List]\nTransient=yes\n",
                "2: Transient: only a list that a client created can be removed when its connection ends"
            ),
            ("[List]\nEmpty=[]\n", "2: Empty: the value is not a JSON object: the value is not an object"),
            (
                "[List]\nSource=jsonl:relative\n",
                "2: Source: “jsonl:relative” is not push, jsonl:/PATH, list:NAME?argument or PLUGIN/SOURCE?argument"
            ),
            ("[List]\nCoalesceMin=1 fortnight\n", "2: CoalesceMin: “1 fortnight” is not a time span such as 20ms"),
            ("[Sections]\nmail=single\n", "2: “single” is not a name such as PLUGIN/CONTROLLER"),
            (
                "[Hints]\nsize=byte\n",
                "2: field “size”: “byte” is not one of bytes, time-us, time-s, permissions, uid, gid, percent, duration-us"
            ),
            ("[List]\nHints=size\n", "2: Hints: hints belong in the section [Hints]"),
            ("[List]\nNearEndDistance=-1\n", "2: NearEndDistance: “-1.0” is not 0 or more"),
            (
                "[Lists]\nLayout=flow\n",
                "2: unknown section “[Lists]”; the sections are [List], [Sections] and [Hints]"
            ),
            ("Layout=flow\n", "1: the key Layout precedes the first [Section]"),
            ("[List]\nLayout\n", "2: Layout has no value; the line is neither [Section] nor Key=value"),
            ("[List\nLayout=flow\n", "1: the line is neither [Section] nor Key=value"),
            ("[List]\nLayout=flow\nLayout=none\n", "3: Layout is given twice; first in line 2"),
            ("[List]\nLayout=\u{0}flow\n", "2: the line is not UTF-8 text"),
            (
                "[List]\nDescription=\(String(repeating: "x", count: 65536))\nLayout=x\n",
                "2: the line is longer than 65534 bytes"
            ),
        ])
    func listFaults(text: String, message: String) throws {
        try write("[List]\nLayout=none\n", to: "good.list")
        try write(text, to: "bad.list")
        let loaded = load()
        #expect(faults().first == "bad.list:\(message)")
        #expect(loaded.configuration.lists.keys.sorted() == ["good"] && !loaded.isDaemonFaulty)
    }

    @Test("many mistakes → each mistake is reported, in the order of files and lines")
    func allFaults() throws {
        try write("[List]\nA=1\nLayout=flow\nB=2\n", to: "b.list")
        try write("[List]\nC=3\n", to: "b.list.d/x.conf")
        try write("[Plugin a b]\nX=1\n[Limits]\nIdBytes=-1\n[Plugin ok]\nIsolation=jail\nOwn=1\n", to: "listd.conf")
        try write("[Daemon]\nCreators=owner\n", to: "listd.conf.d/x.conf")
        try write("[List]\n", to: "gone.list.d/x.conf")
        #expect(
            faults() == [
                "listd.conf:2: “a b” is not the name of a plugin",
                "listd.conf:4: IdBytes: “-1” is not a size such as 16M, or 0 for no limit",
                "listd.conf:6: Isolation=“jail”: expected worker or none",
                "listd.conf.d/x.conf:2: Creators: “owner” is not any, administrators or group:NAME",
                "b.list:2: unknown key “A”", "b.list:4: unknown key “B”", "b.list.d/x.conf:2: unknown key “C”",
                "gone.list.d: there are drop-ins, but no file gone.list",
            ])
        let loaded = load()
        #expect(loaded.isDaemonFaulty && loaded.configuration.lists.isEmpty)
        #expect(loaded.configuration.plugins["ok"]?.settings == ["Own": "1"])
    }

    @Test("a file is a directory, a link loop, a pipe or huge → the error has the reason")
    func unreadable() throws {
        try #require(unsafe mkdir(directory.file("a.list"), 0o755) == 0)
        try #require(unsafe symlink("b.list", directory.file("b.list")) == 0)
        try #require(unsafe mkfifo(directory.file("c.list"), 0o644) == 0)
        try write(String(repeating: "#\n", count: 1 << 20), to: "d.list")
        try write("x", to: "e.list.d")
        try write("[List]\n", to: "e.list")
        #expect(
            faults() == [
                "a.list: the file is not a regular file", "b.list: cannot be read: Too many levels of symbolic links",
                "c.list: the file is not a regular file", "d.list: the file is larger than 1048576 bytes",
                "e.list.d: cannot be read: Not a directory",
            ])
    }

    @Test("a file has no read permission → the error has the reason", .enabled(if: geteuid() != 0))
    func forbidden() throws {
        try write("[List]\n", to: "a.list")
        try #require(unsafe chmod(directory.file("a.list"), 0) == 0)
        #expect(faults() == ["a.list: cannot be read: Permission denied"])
    }

    @Test("a file is in the place of the configuration directory → one error is reported, and no settings are valid")
    func noDirectory() throws {
        try write("", to: "file")
        let loaded = ConfigurationLoader.load(directory.file("file"))
        #expect(loaded.faults.map(\.description) == ["\(directory.path)/file: cannot be read: Not a directory"])
        #expect(loaded.isDaemonFaulty)
    }

    @Test("files have random bytes → the loader returns errors or settings, and never crashes")
    func randomBytes() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let alphabet: [String] = [
            "[", "]", "=", ":", "\n", "List", "Sections", "Layout", "flow", "#", ";", " ", "é", "\u{FEFF}", "\r", "*",
            "\t",
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            try write(text.joined(), to: "x.list")
            let loaded = load()
            #expect(loaded.faults.isEmpty == (loaded.configuration.lists["x"] != nil), "seed \(seed): \(text.joined())")
        }
    }

    @Test(
        "every adapter option, except “transient” and those with their own sections → has a CamelCase key in [List]")
    func keys() throws {
        let keys = AdapterOptions.table.rows.map(\.configurationKey)
        #expect(keys.contains("ShowHeaderWhenEmpty") && keys.contains("SectionMovesAsDeletesInserts"))
        try write(
            """
            [List]
            Source=files/directory?/tmp
            Layout=none
            Direction=horizontal
            StickyHeaders=on
            StretchToEdge=1
            ShowHeaderWhenEmpty=true
            TopContentInset=1.5
            StickyHeaderOffset=-2
            WorkingRange=1
            NearEndDistance=250.5
            Updater=reload
            ReloadThreshold=100
            SectionMovesAsDeletesInserts=y
            PreferItemReloads=t
            MinimalMoves=YES
            CoalesceMin=10
            CoalesceMax=1s
            CoalesceIncrement=5ms
            Durability=fsync
            Empty={"text": "nothing", "count": 0}
            Readers=group:staff
            Writers=any
            Invokers=group:staff
            Identify=content
            """, to: "x.list")
        let loaded = load()
        #expect(loaded.faults.isEmpty)
        let values = try #require(loaded.configuration.lists["x"]).options.values
        let defaults = AdapterOptions().values
        for (name, value) in values where !["section-controllers", "hints", "transient"].contains(name) {
            #expect(value != defaults[name], "\(name)")
        }
        #expect(values["coalesce-max"] == .uint32(1000) && values["empty"] == ["text": "nothing", "count": 0])
    }
}
