// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The terminal at standard output: taken over, given back.
@MainActor final class Terminal {
    private var saved: termios?
    private(set) var isOpen = false

    /// Why there can be no view on a terminal; nil: there can.
    static var obstacle: String? {
        if isatty(STDOUT_FILENO) == 0 { return "standard output is no terminal" }
        switch environment("TERM") {
        case nil, "", "dumb": return "TERM tells of a terminal that cannot place a cursor"
        default: return nil
        }
    }

    /// Whether the user and the terminal want colours.
    static var hasColour: Bool {
        guard environment("NO_COLOR") ?? "" == "" else { return false }
        let name = environment("TERM") ?? ""
        let known = ["color", "xterm", "screen", "tmux", "rxvt", "linux", "vte", "alacritty"]
        return environment("COLORTERM") != nil || known.contains { name.contains($0) }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The other screen, no cursor, no wrapping; keys come at once and are not shown. Those that
    /// interrupt and stop a program remain signals.
    func open() {
        isOpen = true
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            if saved == nil { saved = settings }
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
        StandardOutput.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
    }

    /// All as it was. May be repeated.
    func close() {
        guard isOpen else { return }
        isOpen = false
        StandardOutput.write("\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        if var saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &saved) }
        saved = nil
    }

    /// What the system says; some terminals say nothing.
    var size: Screen.Size {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        guard isKnown, size.ws_col > 0, size.ws_row > 0 else {
            return Screen.Size(columns: 80, rows: 24)
        }
        return Screen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Stops this program as the key would have done, and returns when it goes on.
    func suspend() {
        close()
        var stop = sigset_t()
        var before = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &stop, &before)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        open()
    }
}
