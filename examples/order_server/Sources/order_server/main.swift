// SPDX-License-Identifier: Apache-2.0
//
// Serves a shop until SIGINT or SIGTERM, and logs its address:
//
//     swift run --package-path examples/order_server order_server [PORT]
//     curl -N http://127.0.0.1:PORT/events

import Hummingbird
import OrderServer

let shop = Shop()
let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 0
try await orderServer(of: shop, port: port).runService()
