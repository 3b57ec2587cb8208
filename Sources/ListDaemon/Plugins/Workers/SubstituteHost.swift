internal import Synchronization

/// The host of a list inside the daemon, while its plugin has failed.
final class SubstituteHost: Sendable {
    private let value = Mutex<SeatedHost?>(nil)

    /// The host; nil before it is opened and after it was closed.
    var host: SeatedHost? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
