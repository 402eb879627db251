# SPDX-License-Identifier: Apache-2.0
"""What a thing is called in C and in Swift: one table, in both pages."""

# In C, in Swift, and why the names differ where they do.
ROWS = [
    ("`struct obv_handler_kind`, a handler", "a block, `ObservationBlock`",
     "a function with what keeps its observer; a closure"),
    ("`obv_observe()`, `obv_observe_pairs()`", "`tell`",
     "Swift tells an observer; C hands it through"),
    ("the same with `OBV_TOKEN`", "`onChange`", "there is no observer"),
    ("`struct obv_observation`, a handle", "`KeyValueObservation`",
     "`Observation` is a module of Swift's"),
    ("the same with `OBV_TOKEN`", "`ObservationToken`",
     "a type of its own: it ends with its last reference"),
    ("`obv_stop()`", "`stop()`, of a token `cancel()`",
     "after stopping a scheduled call still comes; cancelling takes it back"),
    ("`obv_stop_observer()`, `obv_stop_handler()`", "`stopTelling`",
     "reads beside `tell`"),
    ("`OBV_VALUES`, `OBV_RECORDS`", "`of:`, `valueOf:`, `valuesOf:`, `recordOf:`",
     "the block's type follows the label"),
    ("`OBV_DEFER`", "`.deferred`", "an adjective, as the others"),
    ("`OBV_COMPARE_EQUAL`, `equal`", "`.equality`, `.by(_:)`",
     "a noun, as `identity`; reads with `comparing:`"),
    ("`call->old`, `call->now`", "`change.old`, `change.new`",
     "`new` is a keyword of C++"),
    ("`OBV_KIND_unreachable`", "`wasReachable`, `isReachable`",
     "a value of its own; nil is two things"),
    ("`struct obv_error`", "`ObservationError`",
     "which path: `index`; its text: `path`"),
    ("`OBV_FIELD()`, `OBV_PROPERTY()`", "`@Observed`",
     "a line and accessors; a wrapper is both"),
    ("`OBV_ANY_THREAD`", "`@ObservedAtomic`", "another way to store"),
    ("`equal`, `OBV_ALWAYS_DIFFERENT`", "`@ObservedAs`", "it corrects as well"),
    ("`struct obv_computed`, `OBV_LAZY`, `OBV_EAGER`", "`@Computed`, `@Lazy`, `@Eager`",
     "a line of a table; a wrapper"),
    ("–", "`computed { }`, `lazily { }`", "in C the table says it"),
    ("`obv_invalidate_all()`, `obv_validate_all()`",
     "`invalidateAll()`, `forceAllPropertiesValid()`", "the same"),
    ("`obv_is_valid()`", "`validProperties`, `invalidProperties`",
     "one property; the names of all"),
    ("`observed_changed`", "`ObservationAware`", "a member; a protocol"),
    ("`struct obv_foreign`, `obv_foreign_register()`", "`ObservableProxy`",
     "an address and its generation; an object with a weak reference"),
    ("`obv_foreign_trigger()`, `obv_foreign_trigger_all()`",
     "`didChange`", "Swift has `trigger` for what a property was"),
    ("`obv_debug_each_observer()`", "`debugAllObservers`",
     "a callback; an array of `ObserverEntry`"),
    ("`obv_observer_count()`", "`numberOfObservers(of:)`",
     "reads as the property's"),
    ("`obv_batch_begin()`, `obv_batch_end()`", "`withObservationBatch`",
     "a closure cannot forget the end"),
    ("`OBV_HERE()`, `obv_source_begin()`", "`withObservationCause`", "the same"),
    ("`obv_loop_destroy()`", "`invalidate()`", "its memory lives on"),
    ("`obv_loop_drain_some()`", "`drain(limit:)`", "a parameter with a default"),
    ("`obv_loop_prepare()`, `obv_loop_check()`", "`isReady`",
     "one question, asked in two places"),
    ("`obv_loop_wake()`, `bound`, `thread`", "–", "queues and actors do it"),
    ("`struct obv_context`", "–", "a Swift program has one"),
]


def table():
    """The table as Markdown, with its heading."""
    lines = ["## The same thing in C and in Swift", "",
             "What is not listed is called alike, in the spelling of its language:",
             "`obv_make_immediate()` is `makeImmediate()`.", "",
             "| in C | in Swift | why |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in ROWS]
    return "\n".join(lines) + "\n"
