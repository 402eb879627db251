// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

@main
struct BoardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board",
        abstract: "Watches this machine: its processes, load, memory and network.",
        discussion: """
            A service on loopback publishes the machine's state; a client loads it once a second \
            into observable models; views observe the models and show what has changed.
            """,
        subcommands: [Show.self, Serve.self],
        defaultSubcommand: Show.self)

    /// Who stops reading what is printed ends the board, but not before it has tidied up; and a
    /// client that hangs up does not end the service.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
