// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct Answer: Sendable {
    let status: Int
    let head: String
    let body: String
    /// Of the body, where it is said.
    let length: Int?

    init(_ text: String) {
        let parts = text.split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        head = parts.first.map(String.init) ?? ""
        body = parts.count == 2 ? String(parts[1]) : ""
        length = head.firstMatch(of: /(?i)\r\ncontent-length: *(\d+)/).flatMap { Int($0.1) }
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

private func makeSocket() -> CInt {
    #if canImport(Glibc)
        socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #else
        socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

/// A connection by hand, so that a request may be as bad as it likes. Closed with its last
/// reference.
final class Connection: Sendable {
    private let descriptor: CInt

    init(port: Int) throws {
        let descriptor = makeSocket()
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // A test that waits for what does not come fails.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Empty: the other side has closed it. Not in a thread of the concurrency runtime, which has
    /// few.
    func receive() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = read(descriptor, &buffer, buffer.count)
                continuation.resume(returning: Array(buffer.prefix(max(0, count))))
            }
        }
    }

    /// One answer, as long as it says, or else until the other side closes; of a stream the head.
    func answer() async -> Answer {
        var bytes: [UInt8] = []
        while case let more = await receive(), !more.isEmpty {
            bytes += more
            let answer = Answer(String(decoding: bytes, as: UTF8.self))
            if answer.head.contains("chunked") { break }
            if let length = answer.length, answer.body.utf8.count >= length { break }
        }
        return Answer(String(decoding: bytes, as: UTF8.self))
    }
}

struct Browser: Sendable {
    let port: Int

    func get(
        _ target: String, host: String? = nil, site: String? = nil, method: String = "GET",
        body: String = ""
    ) async throws -> Answer {
        let connection = try Connection(port: port)
        let host = host ?? "127.0.0.1:\(port)"
        connection.send(
            "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
                + (site.map { "Sec-Fetch-Site: \($0)\r\n" } ?? "")
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return await connection.answer()
    }

    func graph(_ root: String, limit: Int = 1000) async throws -> Answer {
        let name = root.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await get("/graph?root=\(name)&limit=\(limit)")
    }

    @MainActor func open() async throws -> Stream {
        try await Stream(Connection(port: port), port)
    }
}

struct Message: Decodable {
    struct Event: Decodable {
        let kind: String
        let property, type, file, label, begunFile: String?
        let line, observation: Int
    }
    let roots: [String]
    let kinds: [String: Int]
    let missed: Int
    let events: [Event]
}

/// The stream of events, as a page reads it.
@MainActor final class Stream {
    private let connection: Connection
    /// As they come, in chunks; and their content.
    private var raw: [UInt8] = []
    private var text: [UInt8] = []
    let status: Int

    init(_ connection: Connection, _ port: Int) async throws {
        self.connection = connection
        connection.send("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        let end = Array("\r\n\r\n".utf8)
        while raw.firstRange(of: end) == nil {
            let more = await connection.receive()
            if more.isEmpty { break }
            raw += more
        }
        status = Answer(String(decoding: raw, as: UTF8.self)).status
        raw.removeSubrange(..<(raw.firstRange(of: end)?.upperBound ?? 0))
    }

    /// The next message; nil: the stream has ended.
    func next() async throws -> Message? {
        let end = Array("\n\n".utf8)
        while true {
            if let range = text.firstRange(of: end) {
                let line = String(decoding: text[..<range.lowerBound], as: UTF8.self)
                text.removeSubrange(..<range.upperBound)
                return try JSONDecoder().decode(Message.self, from: Data(line.dropFirst(6).utf8))
            }
            if takeChunk() { continue }
            let more = await connection.receive()
            if more.isEmpty { return nil }
            raw += more
        }
    }

    private func takeChunk() -> Bool {
        guard let line = raw.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: raw[..<line.lowerBound], as: UTF8.self), radix: 16),
            size > 0, raw.count >= line.upperBound + size + 2
        else { return false }
        text += raw[line.upperBound..<(line.upperBound + size)]
        raw.removeSubrange(..<(line.upperBound + size + 2))
        return true
    }

    /// Messages until one has such an event.
    func next(where isWanted: @Sendable (Message.Event) -> Bool) async throws -> Message.Event? {
        while let message = try await next() {
            if let event = message.events.first(where: isWanted) { return event }
        }
        return nil
    }

    /// Whether it ends, after what was on its way.
    func ends() async throws -> Bool {
        for _ in 0..<4 where try await next() == nil { return true }
        return false
    }
}

/// Something else that has a port.
final class Listener: Sendable {
    private let descriptor: CInt
    let port: Int

    init() throws {
        let descriptor = makeSocket()
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = listen(descriptor, 1)
                _ = getsockname(descriptor, $0, &size)
            }
            return Int($0.pointee.sin_port.bigEndian)
        }
    }

    deinit { close(descriptor) }
}
