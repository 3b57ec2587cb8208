/// How long to wait before the next try: twice as long each time.
struct Backoff {
    private static let shortest = Duration.milliseconds(200)
    private static let longest = Duration.seconds(30)
    private var delay = Backoff.shortest

    /// Something failed: the time to wait.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, Self.longest) }
        return delay
    }
}
