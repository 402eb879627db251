// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift
import Testing

/// Of a class that cannot be changed.
private class Window {
    var title = "a"
    var subtitle: String?
    var width = 1
    private var depth = 7
    weak var owner: AnyObject?
    var area: Int { width * 10 }
    var shape: (Int, Int) { (width, depth) }
    init() {}
}

private final class LargeWindow: Window {
    var screens = 1
}

private final class Level: ObservableModel {
    @Observed var value = 1
}

/// Whose computed properties read a model.
private final class Dial {
    let level = Level()
    var badge: Int { level.value }
    var text: String? { "\(level.value)" }
    var double: Int { level.value + level.value }
}

private final class Desk: ObservableModel {
    @Observed var window: ObservableProxy<Window>?
    @Observed var plain: Window?
}

@Suite struct ObservableProxyTests {
    let loop = DeliveryLoop()

    @Test func KP_7_KP_17_propertiesThatReadAModel() {
        let dial = Dial()
        let proxy = ObservableProxy.of(dial)
        var calls = 0
        let observer = Observer()
        let observation = proxy.tell(observer, when: \.badge, \.text, \.double, on: loop) { _, _ in
            calls += 1
        }
        #expect(observation.unresolvedPaths == [])
        proxy.changing(\.badge) { dial.level.value = 2 }
        #expect(loop.drain() == 1)
        proxy.changing(\.text) { dial.level.value = 3 }
        #expect(loop.drain() == 1)
        proxy.didChange(\.double)
        #expect(loop.drain() == 1)
        dial.level.value = 4
        #expect(loop.drain() == 0)
        #expect(calls == 3)
    }

    /// Of its class nothing is known: no property has a name.
    @Test func KP_17_anObjectWhoseClassIsForgotten() {
        let object: AnyObject = Window()
        let proxy = ObservableProxy.of(object)
        let observer = Observer()
        let all = proxy.tell(observer, when: \.[text: "*"], on: loop) { _, _ in }
        let every = ObservableProxy<AnyObject>.allInstances.instances(when: \.[text: "*"]).on(loop)
            .tell(observer) {
                _, _ in
            }
        let title = proxy.tell(observer, when: \.[text: "title"], on: loop) { _, _ in }
        #expect(title.unresolvedPaths == ["title"])
        proxy.didChange()
        #expect(loop.drain() == 2)
        for observation in [all, every, title] { observation.stop() }
    }

    @Test func KP_17_aChangeIsToldThroughTheProxy() {
        let window = Window()
        let proxy = ObservableProxy.of(window)
        var calls = 0
        let observer = Observer()
        proxy.tell(observer, when: \.width, on: loop) { _, root in
            calls += 1
            #expect(root === proxy)
        }
        window.width = 2
        loop.drain()
        #expect(calls == 0)
        proxy.didChange(\.width)
        loop.drain()
        #expect(calls == 1)
        proxy.didChange(\.width, old: 2)  // equal: no change
        proxy.didChange(\.title)
        loop.drain()
        #expect(calls == 1)
        proxy.didChange(\.width, old: 1)
        loop.drain()
        #expect(calls == 2)
        proxy.changing(\.width) { window.width = 2 }
        loop.drain()
        #expect(calls == 2)
        proxy.changing(\.width) { window.width = 3 }
        loop.drain()
        #expect(calls == 3)
        proxy.set(\.width, to: 4)
        #expect(window.width == 4)
        loop.drain()
        #expect(calls == 4)
        proxy.didChange()
        loop.drain()
        #expect(calls == 5)
        proxy.trigger(\.width, old: 9)
        loop.drain()
        #expect(calls == 6)
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_computedAndOptionalPropertiesHaveSlotsOfTheirOwn() {
        let window = Window()
        let proxy = ObservableProxy.of(window)
        var calls: [String] = []
        let observer = Observer()
        proxy.tell(observer, when: \.area, on: loop) { _, _ in calls.append("area") }
        proxy.tell(observer, when: \.subtitle, on: loop) { _, _ in calls.append("subtitle") }
        proxy.tell(observer, when: \.title?.count, on: loop) { _, _ in calls.append("count") }
        proxy.changing(\.area) { window.width = 2 }
        loop.drain()
        #expect(calls == ["area"])
        proxy.set(\.subtitle, to: "b")
        loop.drain()
        #expect(calls == ["area", "subtitle"])
        proxy.set(\.title, to: "b")  // as long as it was
        loop.drain()
        #expect(calls == ["area", "subtitle"])
        proxy.set(\.title, to: "bb")
        loop.drain()
        #expect(calls == ["area", "subtitle", "count"])
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_KP_19_textFindsWhatTheMetadataNames() {
        ObservableProxy<LargeWindow>.list("width", \.width)
        ObservableProxy<LargeWindow>.list("area", \.area)
        let window = LargeWindow()
        let proxy = ObservableProxy.of(window)
        var calls = 0
        let observer = Observer()
        let handle = proxy.tell(
            observer, when: \.[text: "width"], \.[text: "screens"], \.[text: "depth"],
            \.[text: "area"], on: loop
        ) {
            _, _ in calls += 1
        }
        #expect(handle.unresolvedPaths.isEmpty)
        proxy.set(\.width, to: 5)
        loop.drain()
        proxy.set(\.screens, to: 2)
        loop.drain()
        #expect(calls == 2)
        #expect(proxy.numberOfObservers(of: "width") == 1)
        proxy.stopTelling(observer, about: \.width)
        #expect(proxy.numberOfObservers(of: "width") == 0)
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_aPathLeadsThroughAPropertyThatHoldsTheProxy() {
        let desk = Desk()
        let first = Window()
        let second = Window()
        var calls = 0
        let observer = Observer()
        desk.tell(observer, when: \.window?.width, on: loop) { _, _ in calls += 1 }
        desk.tell(observer, when: \.[text: "window.title"], on: loop) { _, _ in calls += 10 }
        desk.window = .of(first)
        loop.drain()
        #expect(calls == 11)
        desk.window = .of(second)  // the same width and title
        loop.drain()
        #expect(calls == 11)
        ObservableProxy.of(first).set(\.width, to: 2)
        loop.drain()
        #expect(calls == 11)
        ObservableProxy.of(second).set(\.width, to: 3)
        loop.drain()
        #expect(calls == 12)
        desk.window = nil
        loop.drain()
        #expect(calls == 23)
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_replacingAPlainObjectIsSeenAndChangesInsideItAreNot() {
        let desk = Desk()
        let window = Window()
        var calls = 0
        let observer = Observer()
        desk.tell(observer, when: \.plain, on: loop) { _, _ in calls += 1 }
        desk.tell(observer, when: \.plain?.width, on: loop) { _, _ in calls += 10 }
        desk.plain = window
        loop.drain()
        #expect(calls == 11)
        window.width = 9
        ObservableProxy.of(window).didChange()
        loop.drain()
        #expect(calls == 11)
        desk.plain = Window()
        loop.drain()
        #expect(calls == 22)
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_thereIsOneProxyOfAnObject() {
        let window = Window()
        weak var gone: ObservableProxy<Window>?
        do {
            let proxy = ObservableProxy.of(window)
            #expect(ObservableProxy.of(window) === proxy)
            #expect(ObservableProxy.of(Window()) !== proxy)
            gone = proxy
        }
        #expect(gone == nil)
        #expect(ObservableProxy.of(window).object === window)
    }

    @Test func KP_17_LT_1_aProxyKeepsItsObjectNotAlive() {
        weak var gone: Window?
        var window: Window? = Window()
        gone = window
        let proxy = ObservableProxy.of(window!)
        var calls = 0
        let observer = Observer()
        proxy.tell(observer, when: \.width, on: loop) { _, _ in calls += 1 }
        window = nil
        #expect(gone == nil)
        #expect(proxy.object == nil)
        #expect(proxy.width == nil)
        proxy.set(\.width, to: 2)
        proxy.changing(\.width) {}
        loop.drain()
        #expect(calls == 0)
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_anotherObjectAtTheAddressHasAnotherProxy() {
        var seen: [ObservableProxy<Window>] = []
        for _ in 0..<200 {
            // Freed at once: the next one often lies where it lay.
            let proxy = ObservableProxy.of(Window())
            #expect(proxy.object == nil)
            #expect(!seen.contains { $0 === proxy })
            seen.append(proxy)
            let window = Window()
            let other = ObservableProxy.of(window)
            #expect(other.object === window)
            #expect(!seen.contains { $0 === other })
        }
    }

    @Test func KP_17_valuesAreHandedOver() {
        let window = Window()
        let proxy = ObservableProxy.of(window)
        var seen: [String] = []
        let token = proxy.changes(of: \.width).on(loop).onChange { change in
            seen.append("\(change.old ?? 0) \(change.new ?? 0)")
        }
        proxy.set(\.width, to: 2)
        proxy.set(\.width, to: 3)
        loop.drain()
        #expect(seen == ["1 3"])
        withExtendedLifetime(token) {}
    }

    @Test func KP_17_aFoundationClassIsObserved() {
        let progress = Progress(totalUnitCount: 4)
        let proxy = ObservableProxy.of(progress)
        var seen: [Double] = []
        let observer = Observer()
        proxy.tell(observer, when: \.fractionCompleted, on: loop) { _, proxy in
            seen.append(proxy.object!.fractionCompleted)
        }
        proxy.changing(\.fractionCompleted) { progress.completedUnitCount = 1 }
        loop.drain()
        proxy.changing(\.fractionCompleted) { progress.completedUnitCount = 1 }
        loop.drain()
        proxy.changing(\.fractionCompleted) { progress.completedUnitCount = 2 }
        loop.drain()
        #expect(seen == [0.25, 0.5])
        withExtendedLifetime(observer) {}
    }

    @Test func KP_17_TH_1_proxiesAreFoundOnAnyThread() async {
        let window = AnyThread(Window())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let proxy = ObservableProxy.of(window.value)
                        #expect(proxy.object === window.value)
                        _ = ObservableProxy.of(Window())
                    }
                }
            }
        }
    }
}

private final class AnyThread<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private final class Observer {}
