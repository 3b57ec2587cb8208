@_spi(Daemon) internal import ListKit

// A list that was restored rests until somebody looks at it or writes to it: only then it gets an engine, on the executor
// of the list. Until then it says how much there is, answers what it remembers of changes, and ends.

extension AdapterHost {
    /// What a list is made of.
    enum Engine {
        /// Objects in one array. Not boxed: which of two pointers it is would be told by bits in them, and the leak sanitizer
        /// does not find an engine behind such a pointer.
        case resting(RestingList)
        /// All of it.
        case working(ListAdapter)
    }

    /// The engine, made now if there was none.
    var adapter: ListAdapter {
        switch engine {
        case .working(let adapter): adapter
        case .resting(let list): wake(list)
        }
    }

    /// The engine, unless nobody has needed it yet.
    var workingAdapter: ListAdapter? {
        if case .working(let adapter) = engine { adapter } else { nil }
    }

    /// Whether the list was restored and nobody has looked at it yet, so that it has no engine.
    package var isResting: Bool { workingAdapter == nil }

    /// The current revision.
    var revision: UInt64 {
        switch engine {
        case .resting(let list): list.revision
        case .working(let adapter): adapter.revision
        }
    }

    /// How many objects and items there are.
    var counts: (objects: Int, items: Int) {
        switch engine {
        case .resting(let list): (list.objects.count, list.itemCount)
        case .working(let adapter): (adapter.objectCount, adapter.itemCount)
        }
    }

    /// How the list behaves.
    var configuration: ListAdapter.Configuration {
        switch engine {
        case .resting(let list): list.configuration
        case .working(let adapter): adapter.configuration
        }
    }

    private func wake(_ list: RestingList) -> ListAdapter {
        let told = status
        let adapter = makeAdapter(of: list)
        engine = .working(adapter)
        // A damaged file may have had an object twice; the engine has dropped it.
        if status != told { sink([.status(status)]) }
        return adapter
    }
}
