@_spi(Daemon) import ListKit
import Testing

@testable import ListDaemon

@Suite("Request line of a list")
struct RequestLineTests {
    private static func request(_ id: RequestID, alone: Bool = false) -> UpdateRequest {
        let path = IndexPath(section: 0, item: 0)
        return UpdateRequest(id: id, operation: alone ? .moveItem(from: path, to: path) : .reloadData)
    }

    private static func line(_ ids: [RequestID], alone: Set<RequestID> = []) -> RequestLine {
        var line = RequestLine()
        for id in ids { line.add(request(id, alone: alone.contains(id))) }
        return line
    }

    @Test("requests that may coalesce → all at once, and more while they wait")
    func coalescing() {
        var line = Self.line([1, 2])
        #expect(line.next().map(\.id) == [1, 2])
        line.add(Self.request(3))
        #expect(line.next().map(\.id) == [3])
        line.answered([1, 2, 3])
        #expect(line.isEmpty)
    }

    @Test("a request that stands alone → by itself, and nothing passes it")
    func standingAlone() {
        var line = Self.line([1, 2, 3, 4], alone: [2, 3])
        #expect(line.next().map(\.id) == [1])
        #expect(line.next().isEmpty)
        line.answered([1])
        #expect(line.next().map(\.id) == [2])
        line.answered([2])
        #expect(line.next().map(\.id) == [3])
        line.answered([3])
        #expect(line.next().map(\.id) == [4])
    }

    @Test("several refused together → again one by one, before what came later")
    func retrying() {
        var line = Self.line([1, 2, 3])
        _ = line.next()
        line.add(Self.request(4))
        let isWorthwhile = line.retryOneByOne([1, 2, 3])
        #expect(isWorthwhile)
        for id: RequestID in [1, 2, 3] {
            #expect(line.next().map(\.id) == [id])
            #expect(line.isRetrying)
            #expect(line.next().isEmpty)
            let isWorthwhile = line.retryOneByOne([id])
            #expect(!isWorthwhile)
            line.answered([id])
        }
        #expect(line.next().map(\.id) == [4])
        #expect(!line.isRetrying)
        line.answered([4])
        #expect(line.isEmpty)
    }
}
