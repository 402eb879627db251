// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A real browser without a window, driven by chromedriver: Debian's packages chromium and
/// chromium-driver.
final class Chromium: Sendable {
    private let process: Process
    private let folder: URL
    private let driver: Browser
    private let session: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["chromedriver", "--port=0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        driver = try await Self.address(output.fileHandleForReading)
        let options: [String: any Sendable] = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir=\(folder.path)", "--window-size=1300,1200",
            ]
        ]
        let made = try await Self.post(
            driver, "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
                    ]
                ]
            ])
        guard let made = made as? [String: Any], let name = made["sessionId"] as? String else {
            throw Failure(description: "chromedriver has made no session")
        }
        session = name
    }

    /// A browser for as long as something is done with it.
    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Chromium) async throws -> Result
    ) async throws -> Result {
        let browser = try await Chromium()
        do {
            let result = try await body(browser)
            await browser.end()
            return result
        } catch {
            await browser.end()
            throw error
        }
    }

    /// The driver ends with all that it has started.
    private func end() async {
        _ = try? await driver.get("/session/\(session)", method: "DELETE")
        _ = try? await driver.get("/shutdown")
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    func open(_ address: String) async throws {
        _ = try await command("url", ["url": address])
    }

    /// The value that a function's body returns in the page.
    func run(_ script: String) async throws -> Any? {
        try await command("execute/sync", ["script": script, "args": [String]()])
    }

    func text(of selector: String) async throws -> String {
        try await run("return document.querySelector(\"\(selector)\").textContent") as? String ?? ""
    }

    /// Asks until it is so; false: it was not in half a minute.
    func waits(for condition: String) async throws -> Bool {
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit {
            if try await run("return Boolean(\(condition))") as? Bool == true { return true }
        }
        return false
    }

    /// The console of the page, errors of the browser with it.
    func console() async throws -> [String] {
        let entries = try await command("se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return entries.map { "\($0["level"] ?? ""): \($0["message"] ?? "")" }
    }

    private func command(_ name: String, _ body: [String: Any]) async throws -> Any? {
        try await Self.post(driver, "/session/\(session)/\(name)", body)
    }

    private static func post(
        _ driver: Browser, _ target: String, _ body: [String: Any]
    ) async throws -> Any? {
        let data = try JSONSerialization.data(withJSONObject: body)
        let answer = try await driver.get(
            target, method: "POST", body: String(decoding: data, as: UTF8.self))
        guard answer.status == 200,
            let value = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
                as? [String: Any]
        else { throw Failure(description: String(answer.body.prefix(500))) }
        return value["value"]
    }

    /// From the line in which it says its port.
    private static func address(_ output: FileHandle) async throws -> Browser {
        let said = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var text = ""
                while text.firstMatch(of: /on port (\d+)\./) == nil {
                    let more = output.availableData
                    if more.isEmpty { break }
                    text += String(decoding: more, as: UTF8.self)
                }
                continuation.resume(returning: text)
            }
        }
        guard let port = said.firstMatch(of: /on port (\d+)\./)?.1,
            let number = Int(port)
        else { throw Failure(description: "chromedriver says no port: \(said)") }
        return Browser(port: number)
    }
}
