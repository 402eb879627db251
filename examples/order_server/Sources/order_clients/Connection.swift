// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// A connection to the server, for one request after the other. It ends with `body`.
func withConnection<Result>(
    to port: Int, _ body: (inout Connection) async throws -> Result
) async throws -> Result {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(
                    HTTP1ToHTTPClientCodec())
                return try NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>(
                    wrappingChannelSynchronously: channel)
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        var connection = Connection(
            parts: inbound.makeAsyncIterator(), outbound: outbound)
        return try await body(&connection)
    }
}

struct Connection {
    var parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
    let outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>

    /// The status and the body of the whole response.
    mutating func ask(
        _ method: HTTPRequest.Method, _ path: String, _ json: String = ""
    ) async throws -> (Int, Data) {
        try await send(method, path, json)
        var status = 0
        var body = Data()
        while let part = try await parts.next() {
            switch part {
            case .head(let head): status = head.status.code
            case .body(let bytes): body += bytes.readableBytesView
            case .end: return (status, body)
            }
        }
        throw ChannelError.eof
    }

    mutating func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: String = ""
    ) async throws {
        var request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1", path: path)
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.contentLength] = "\(json.utf8.count)"
        try await outbound.write(.head(request))
        if !json.isEmpty { try await outbound.write(.body(ByteBuffer(string: json))) }
        try await outbound.write(.end(nil))
    }

    /// The data of the next server-sent event; nil: the response has ended.
    mutating func nextEvent() async throws -> Data? {
        while true {
            if let end = received.firstRange(of: Data("\n\n".utf8)) {
                let event = received[..<end.lowerBound].dropFirst("data: ".utf8.count)
                received.removeSubrange(..<end.upperBound)
                return Data(event)
            }
            guard let part = try await parts.next() else { return nil }
            switch part {
            case .head: break
            case .body(let bytes): received += bytes.readableBytesView
            case .end: return nil
            }
        }
    }
    private var received = Data()

    init(
        parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>
    ) {
        (self.parts, self.outbound) = (parts, outbound)
    }
}
