// SPDX-License-Identifier: Apache-2.0
//
// Serves a shop until SIGINT or SIGTERM, and logs its address:
//
//     swift run --package-path examples/order_server order_server [PORT]
//     curl -N http://127.0.0.1:PORT/events

import Hummingbird
import Logging
import OrderServer
import ServiceLifecycle

let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 0
let logger = Logger(label: "orders")
var configuration = ServiceGroupConfiguration(
    services: [orderServer(of: Shop(), port: port, logger: logger)],
    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
// Longer nobody waits for a client that does not read.
configuration.maximumGracefulShutdownDuration = .seconds(5)
do {
    try await ServiceGroup(configuration: configuration).run()
} catch is CancellationError {
    logger.warning("clients that did not read were cut off")
}
