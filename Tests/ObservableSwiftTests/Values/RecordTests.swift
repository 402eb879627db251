// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct RecordTests {
    private let loop = DeliveryLoop()

    @Test func DR_13_an_entry_for_each_path() throws {
        let root = Sample()
        var records: [ObservationRecord<Sample>] = []
        let token = root.record(of: \.[text: "next.count"], \.[text: "nickname"], \.[text: "name"])
            .on(loop).onChange {
                records.append($0)
            }
        root.next = Sample()
        root.next?.count = 1
        root.next?.count = 2
        root.nickname = "Ada"
        loop.drain()
        let record = try #require(records.first)
        #expect(record.object === root && record.missing == 0)
        try #require(record.entries.count == 2)
        let (count, name) = (record.entries[0], record.entries[1])
        #expect(
            count.requestedPath == "next.count" && count.path == "next.count" && count.index == 0)
        #expect(count.oldValue == nil && count.newValue as? Int == 2 && count.changes == 3)
        #expect(!count.wasReachable && count.isReachable)
        #expect(name.requestedPath == "nickname" && name.index == 1)
        #expect(name.oldValue == nil && name.newValue as? String == "Ada" && name.changes == 1)
        #expect(name.wasReachable && name.isReachable)
        root.name = "a"
        loop.drain()
        #expect(records.last?.entries.map(\.index) == [2])
        withExtendedLifetime(token) {}
    }

    @Test func DR_13_an_entry_for_each_way() throws {
        let root = Sample()
        let observer = Spot(0)
        var entries: [ObservationRecordEntry] = []
        root.record(of: \.[text: "*.count"]).on(loop).tell(observer) { entries = $1.entries }
        let (next, weak) = (Sample(), Sample())
        root.next = next
        root.weakNext = weak
        weak.count = 3
        loop.drain()
        #expect(entries.map(\.requestedPath) == ["*.count", "*.count"])
        #expect(entries.map(\.path) == ["next.count", "weakNext.count"])
        #expect(entries.map { $0.newValue as? Int } == [0, 3])
        #expect(entries.map(\.changes) == [1, 2])
        weak.count = 4
        loop.drain()
        #expect(entries.map(\.path) == ["weakNext.count"])
        withExtendedLifetime(next) {}
    }

    @Test func DR_13_KP_19_typed_paths_are_written_as_text() throws {
        let root = Sample()
        root.next = Sample()
        var entries: [ObservationRecordEntry] = []
        let token = root.record(of: \.next?.nickname, \.size.width, \.allProperties).on(loop)
            .onChange { entries = $0.entries }
        root.next?.nickname = "Ada"
        root.size.width = 2
        loop.drain()
        try #require(entries.map(\.index) == [0, 1, 2])
        #expect(entries.first?.requestedPath == "next.nickname")
        #expect(entries.last?.requestedPath == "*" && entries.last?.path == "size")
        #expect(entries[1].oldValue as? Int == 0 && entries[1].newValue as? Int == 2)
        withExtendedLifetime(token) {}
    }

    @Test func DR_13_the_limit() {
        let root = Sample()
        var record: ObservationRecord<Sample>?
        let token = root.record(of: \.[text: "*"], limit: 2).on(loop).onChange { record = $0 }
        let whole = root.record(of: \.[text: "*"]).on(loop).onChange { _ in }
        root.ratio = 1
        root.percent = 1
        root.name = "a"
        root.nickname = "b"
        root.name = "c"
        loop.drain()
        #expect(record?.entries.map(\.path) == ["ratio", "percent"])
        #expect(record?.missing == 2)
        withExtendedLifetime((token, whole)) {}
    }

    @Test func DR_13_causes() throws {
        nonisolated(unsafe) let root = Sample()
        var records: [ObservationRecord<Sample>] = []
        let token = root.record(of: \.percent).on(loop).onChange { records.append($0) }
        let line = #line + 1
        withObservationCause { root.percent = 1 }
        let other = Shared<UInt64>(0)
        TestThread {
            other.value = ObservationCause.currentThread
            withObservationCause(file: "elsewhere", line: 7) {
                withObservationCause(file: "inside", line: 8) {}
                root.percent = 2
            }
        }.join()
        loop.drain()
        let entry = try #require(records.first?.entries.first)
        #expect(entry.changes == 2)
        #expect(entry.firstCause.thread == ObservationCause.currentThread)
        #expect(entry.firstCause.file == #fileID && entry.firstCause.line == line)
        #expect(entry.lastCause.thread == other.value)
        #expect(entry.lastCause.thread != entry.firstCause.thread)
        #expect(entry.lastCause.file == "elsewhere" && entry.lastCause.line == 7)
        root.percent = 3
        loop.drain()
        let last = try #require(records.last?.entries.first)
        #expect(last.firstCause.file == nil && last.firstCause.line == nil)
        withExtendedLifetime(token) {}
    }

    /// Two roots of one observation: the paths of both, in the order in which they were given.
    @Test func DR_13_KP_13_paths_of_several_roots() throws {
        let (root, second) = (Sample(), Sample())
        let observer = Spot(0)
        var record: ObservationRecord<Sample>?
        let observation = root.record(of: \.count).on(loop).options(.allowsMorePaths).tell(observer)
        {
            record = $1
        }
        try observation.also(second, when: \.[text: "name"], \.[text: "count"])
        second.count = 1
        loop.drain()
        #expect(record?.object === second)
        #expect(record?.entries.map(\.index) == [2])
        root.count = 1
        second.name = "a"
        loop.drain()
        #expect(record?.object === root)
        #expect(record?.entries.map(\.index) == [0, 1])
    }

    @Test func DR_13_IM_3_records_of_immediate_ones() {
        let root = Sample()
        var ways: [[String]] = []
        let token = root.record(of: \.[text: "count"], \.[text: "next.count"]).options(.immediate)
            .onChange { ways.append($0.entries.map(\.path)) }
        root.count = 1
        root.next = Sample()
        withObservationBatch {
            root.count = 2
            root.count = 3
        }
        #expect(ways == [["count"], ["next.count"], ["count"], ["count"]])
        withExtendedLifetime(token) {}
    }

    @Test func DR_13_by_hand_there_is_nothing_to_tell() {
        let root = Sample()
        var counts: [Int] = []
        let token = root.record(of: \.count).on(loop).onChange { counts.append($0.entries.count) }
        token.schedule()
        loop.drain()
        token.execute()
        #expect(counts == [0, 0])
    }
}
