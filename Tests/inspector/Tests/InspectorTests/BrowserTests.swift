// SPDX-License-Identifier: Apache-2.0

import ObservableInspector
import ObservableSwift
import Testing

extension InspectorTests {
    @Test func DB_5_a_browser_shows_the_graph_and_what_happens() async throws {
        try await Chromium.with { try await seesAll($0) }
    }

    @Test func a_page_that_is_one_too_many_says_so_and_comes_when_there_is_room() async throws {
        try await Chromium.with { chromium in
            let browser = try await served()
            var streams: [Stream] = []
            for _ in 0..<8 { streams.append(try await browser.open()) }
            try await chromium.open("http://127.0.0.1:\(browser.port)/")
            let connection = "document.querySelector('#connection').textContent"
            #expect(try await chromium.waits(for: "\(connection).includes('8 pages are open')"))
            streams = []
            #expect(try await chromium.waits(for: "\(connection) === 'connected'"))
            // Without an object it says so.
            let says = try await chromium.run(
                "$('root').replaceChildren(); listRoots([]); return $('shown').textContent")
            #expect(says as? String == "The program has added no object.")
        }
    }

    @Test func a_page_begins_anew_with_each_connection() async throws {
        try await Chromium.with { chromium in
            let user = User(), home = Address()
            let browser = try await served()
            try await chromium.open("http://127.0.0.1:\(browser.port)/")
            home.city = "Linz"
            let timeline = "document.querySelector('#timeline').textContent"
            #expect(try await chromium.waits(for: "\(timeline).includes('Address.city')"))
            await ObservationInspector.stopServing()
            #expect(
                try await chromium.waits(
                    for: "$('connection').textContent.includes('does not answer')"))
            try await ObservationInspector.serve(port: browser.port)
            user.name = "Ada"
            #expect(try await chromium.waits(for: "\(timeline).includes('User.name')"))
            #expect(
                try await chromium.run("return \(timeline).includes('Address.city')") as? Bool
                    == false)
            withExtendedLifetime((user, home)) {}
        }
    }

    private func seesAll(_ chromium: Chromium) async throws {
        let user = User(), home = Address()
        user.address = home
        let markup: StaticString = "<b onclick='x()'>zip</b>\u{202e}\u{1b}"
        let token = user.values(of: \.address?.city).named(markup).onChange { _ in }
        let by = DeliveryLoop()
        let waiting = user.values(of: \.name).on(by).named("waiting").onChange { _ in }
        by.drain()
        ObservationInspector.add(user, name: "<i>root</i> + \u{202e}")
        try await chromium.open("http://127.0.0.1:\(try await served().port)/")

        // The root, the objects, and names as text.
        #expect(
            try await chromium.waits(
                for: "[...document.querySelectorAll('#graph text')].some("
                    + "(text) => text.textContent.startsWith('Address 0x'))"))
        let names = try await chromium.text(of: "#root")
        #expect(names.contains("<i>root</i> + \\u{202e}"))
        #expect(try await chromium.waits(for: "document.querySelectorAll('#observers tr').length"))
        let observers = try await chromium.text(of: "#observers")
        #expect(observers.contains("<b onclick='x()'>zip</b>\\u{202e}\\u{1b}"))
        #expect(observers.contains("address.city"))
        #expect(
            try await chromium.run("return document.querySelectorAll('td b, option i').length")
                as? Int == 0)
        #expect(try await chromium.text(of: "#pending") == "none")

        // A change, with its call and its cause.
        withObservationCause { home.city = "Linz" }
        #expect(
            try await chromium.waits(
                for: "document.querySelector('#timeline').textContent.includes('Address.city')"))
        #expect(
            try await chromium.waits(
                for: "[...document.querySelectorAll('#timeline tr')].some((row) => "
                    + "row.cells[2].textContent === 'call' && "
                    + "row.cells[4].textContent.includes('Address.city (') && "
                    + "row.cells[4].textContent.includes('BrowserTests.swift'))"))
        #expect(
            try await chromium.waits(
                for: "document.querySelector('#lanes').querySelectorAll('.call').length"))

        // A pending call, and another object.
        user.name = "Ada"
        #expect(
            try await chromium.waits(
                for: "document.querySelector('#pending').textContent.includes('waiting')"))
        user.address = nil
        #expect(
            try await chromium.waits(
                for: "![...document.querySelectorAll('#graph text')].some("
                    + "(text) => text.textContent.startsWith('Address 0x'))"))
        #expect(try await chromium.text(of: "#connection") == "connected")
        #expect(try await chromium.console() == [])

        // The program's end is told.
        await ObservationInspector.stopServing()
        #expect(
            try await chromium.waits(
                for: "document.querySelector('#connection').textContent.includes('does not answer')"
            ))
        withExtendedLifetime((token, waiting)) {}
    }
}
