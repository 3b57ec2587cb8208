// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Section controllers that are released when unused")
struct ControllerRegistryTests {
    private let handles = (1...4).map { SectionHandle(raw: $0) }

    @Test("candidates are in use, kept, or of a kind without traits → only the others are removed")
    func removing() {
        var registry = SectionControllerRegistry()
        let controllers = handles.map { _ in ListSectionController() }
        for (handle, controller) in zip(handles, controllers) {
            registry.insert(controller, for: handle, isTransient: handle != handles[3])
        }
        registry.addReleaseCandidates([handles[0], handles[0], handles[3]])
        var removed = registry.removeUnused(except: handles[1]) { $0 == handles[2] }
        #expect(removed.count == 1 && removed.first === controllers[0])
        #expect(Set(registry.controllers.keys) == Set(handles[1...]))
        removed = registry.removeUnused(except: nil) { _ in false }
        #expect(removed.count == 1 && removed.first === controllers[1])
        #expect(Set(registry.controllers.keys) == Set(handles[2...]))
        registry.addReleaseCandidates([handles[2]])
        removed = registry.removeUnused(except: nil) { _ in false }
        #expect(removed.count == 1 && removed.first === controllers[2])
    }

    @Test("a controller is being made → it is not made again until it has been made")
    func making() {
        var registry = SectionControllerRegistry()
        var begun = [0, 1, 0].map { registry.beginMaking(handles[$0]) }
        registry.endMaking(handles[0])
        begun += [1, 0].map { registry.beginMaking(handles[$0]) }
        #expect(begun == [true, true, false, false, true])
    }
}
