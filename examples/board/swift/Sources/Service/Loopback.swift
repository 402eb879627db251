// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation

/// The address 127.0.0.1 with a port that is free at this moment, or 0.
///
/// Tries it with sockets of its own and closes them: the reason is told as a number here, and what
/// an HTTPServer has opened when it fails to bind would stay open.
/// - Throws: ServiceError, if nothing can listen there or nobody could connect.
func loopback(port: UInt16) throws -> sockaddr_in {
    do {
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
        try tryListening(at: address)
        try tryRoute()
        return address
    } catch SocketError.failed(_, let code, let message) {
        throw switch code {
        case EADDRINUSE: ServiceError.portTaken(port)
        case EADDRNOTAVAIL, ENETUNREACH, EHOSTUNREACH: ServiceError.noLoopback
        default: ServiceError.cannotListen(port: port, reason: message)
        }
    }
}

private func tryListening(at address: sockaddr_in) throws {
    let socket = try Socket(domain: AF_INET, type: .stream)
    do {
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: address)
    } catch {
        try? socket.close()
        throw error
    }
    // Closes the socket itself when it fails.
    try socket.listen()
    try socket.close()
}

/// Where `lo` is down one may listen, but there is no way to it. Connecting a datagram socket looks
/// for the way and sends nothing.
private func tryRoute() throws {
    let socket = try Socket(domain: AF_INET, type: .datagram)
    defer { try? socket.close() }
    try socket.connect(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 9))
}
