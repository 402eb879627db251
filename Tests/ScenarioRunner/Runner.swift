// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs scenario scripts over the public interface of ObservableSwift.
///
///     ScenarioRunner [--only NAME] [--typed] FILE...
///
///     --only NAME   this test alone
///     --typed       observes and stops by key paths instead of texts, wherever
///                   a path can be written as one
///
/// Each test is a process of its own. The child leaves the line it is at, and
/// what failed, in memory that both share, so a crash has a line as well.
@main
struct Runner {
    private static let secondsATest: UInt32 = 60

    private var only: String?
    private var isTyped = false
    private var files: [String] = []
    private var passed = 0
    private var failed = 0

    static func main() {
        quietBacktraces()
        guard var runner = Runner(CommandLine.arguments.dropFirst()) else {
            complain("usage: ScenarioRunner [--only NAME] [--typed] FILE...")
            exit(2)
        }
        exit(runner.run())
    }

    /// A crash is told by the report. The runtime reads this when a program
    /// begins, so the program begins once more.
    private static func quietBacktraces() {
        if getenv("SWIFT_BACKTRACE") == nil {
            setenv("SWIFT_BACKTRACE", "enable=no", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
    }

    private init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let word = rest.first, word.hasPrefix("-") {
            rest = rest.dropFirst()
            if word == "--typed" {
                isTyped = true
            } else if word == "--only", let name = rest.popFirst() {
                only = name
            } else {
                return nil
            }
        }
        files = Array(rest)
        if files.isEmpty {
            return nil
        }
    }

    private mutating func run() -> Int32 {
        for file in files {
            run(file: file)
        }
        if let only, passed + failed == 0 {
            complain("no test is called \(only)")
            failed += 1
        }
        print("\(passed) passed, \(failed) failed")
        return failed == 0 ? 0 : 1
    }

    private mutating func run(file: String) {
        guard let scenarios = readScript(file) else {
            failed += 1
            print("not ok \(file): line 0: the file cannot be read")
            return
        }
        for scenario in scenarios where scenario.only != .c {
            if only == nil || only == scenario.name {
                run(scenario)
            }
        }
    }

    private mutating func run(_ scenario: Scenario) {
        report.clear()
        fflush(nil)
        let child = fork()
        if child == 0 {
            alarm(Runner.secondsATest)
            runLines(scenario)
            fflush(nil)
            exit(0)  // not _exit: the leak check of the sanitizers runs here
        }
        if hasEndedWell(child) {
            passed += 1
            print("ok \(scenario.name)")
        } else {
            failed += 1
            print("not ok \(scenario.name): line \(report.line): \(report.text)")
        }
    }

    private func runLines(_ scenario: Scenario) {
        report.line = scenario.line
        if let fault = scenario.fault {
            fail(fault)
        }
        if !scenario.expectsAnything {
            fail("the test expects nothing")
        }
        beginWorld(scenario, isTyped: isTyped)
        learnComputed()
        var lines = scenario.lines.makeIterator()
        runCommands { lines.next() }
        world.end()
    }

    /// Whether a child has ended well; if not, the report says why.
    private func hasEndedWell(_ child: pid_t) -> Bool {
        var status: Int32 = 0
        guard child >= 0, waitpid(child, &status, 0) == child else {
            report.text = "no process could be had"
            return false
        }
        let signal = status & 0x7F
        if signal != 0 {
            report.text = "ended by signal \(signal)"
            return false
        }
        let code = status >> 8
        if code != 0, report.text.isEmpty {
            report.text = "ended with status \(code)"
        }
        return code == 0
    }
}
