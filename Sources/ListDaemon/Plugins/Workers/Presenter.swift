@_spi(Daemon) internal import ListKit
internal import Synchronization

/// Shows the objects of one list: calls its section controllers, has its views, answers what depends on items.
///
/// Used on the list's executor. What it makes of an order comes back as ``PresenterReport``s, in the order in which things
/// happened, through ``ListHost/receive(_:from:)``.
protocol Presenter: AnyObject {
    /// Names it in what it reports.
    var number: PresenterNumber { get }
    /// Whether the section controllers of the plugin are asked there, where they may die of it.
    var asksPlugin: Bool { get }

    /// Has something done.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func perform(_ order: PresenterOrder, by user: UInt32?)

    /// Sends the next objects of the order that has more of them than go at once; false when there are none.
    func sendMore() -> Bool

    /// Says that it reports what no presenter does.
    func blame(_ reason: String)

    /// Lets it go: it reports nothing more that is heard.
    func close()
}

extension Presenter {
    /// Has something done that is listd's own.
    func perform(_ order: PresenterOrder) { perform(order, by: nil) }
}

/// Names a presenter of a list, or a data source, in a worker; never used again.
typealias PresenterNumber = UInt32

enum PresenterNumbers {
    private static let last = Atomic<PresenterNumber>(0)

    /// A number that nothing else has.
    static func next() -> PresenterNumber { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
