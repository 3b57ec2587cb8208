/// How long to wait before the next try: twice as long each time.
struct Backoff {
    private static let shortest = Duration.milliseconds(200)
    private static let longest = Duration.seconds(30)
    private var delay = Backoff.shortest

    /// Whether nothing has failed since the beginning or the last success.
    private(set) var isFresh = true

    /// Something failed: the time to wait.
    mutating func next() -> Duration {
        isFresh = false
        defer { delay = min(delay * 2, Self.longest) }
        return delay
    }

    /// Something went well.
    mutating func reset() { self = Backoff() }
}
