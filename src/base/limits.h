/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/limits.h - every limit, timeout and default of haft, in one table: name, value, meaning.
 *
 * Everything that grows has a limit. Each row defines the constant HAFT__LIMIT_<NAME> and has a
 * line in docs/limits.md (a test compares the two). Each limit is tested at its value and one past
 * it.
 */
#ifndef HAFT_BASE_LIMITS_H
#define HAFT_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define HAFT__LIMITS(X)                                                                            \
    X(JSON_DEPTH, "json.depth", 256, "nesting of arrays and objects in model output and results")  \
    X(JSON_DEPTH_STRICT, "json.depth_strict", 64,                                                  \
      "nesting of arrays and objects in specs and API bodies")                                     \
    X(JSON_BYTES, "json.bytes", 64 << 20, "bytes of one JSON text")                                \
    X(JSON_VALUES, "json.values", 8 << 20, "values in one JSON text, keys included")               \
    X(JSON_KEY_BYTES, "json.key_bytes", 64 << 10, "bytes of one object key, its escapes included") \
    X(JSON_NUMBER_BYTES, "json.number_bytes", 4096, "characters of one JSON number")               \
    X(JSON_DIGITS, "json.digits", 4096, "digits of a number that is compared or divided exactly")  \
    X(SCHEMA_NODES, "schema.nodes", 100000, "subschemas in one compiled schema")                   \
    X(SCHEMA_DOCUMENTS, "schema.documents", 256, "documents that one schema may refer to")         \
    X(SCHEMA_PATTERNS, "schema.patterns", 10000, "regular expressions in one compiled schema")     \
    X(SCHEMA_BYTES, "schema.bytes", 64 << 20, "bytes of one compiled schema, without its JSON")    \
    X(SCHEMA_URI_BYTES, "schema.uri_bytes", 4096, "bytes of a schema's URI")                       \
    X(SCHEMA_STEPS, "schema.steps", 10000000, "steps of the validation of one JSON value")         \
    X(SCHEMA_NESTING, "schema.nesting", 512,                                                       \
      "nesting of subschemas while one JSON value is validated")                                   \
    X(SCHEMA_ERRORS, "schema.errors", 32, "failures reported for one JSON value")                  \
    X(PATTERN_BYTES, "pattern.bytes", 4096, "bytes of one regular expression")                     \
    X(PATTERN_NESTING, "pattern.nesting", 128, "nesting of groups in one regular expression")      \
    X(PATTERN_REPEAT, "pattern.repeat", 65535,                                                     \
      "count in a repeat of a regular expression, such as {1,100}")                                \
    X(PATTERN_LOOK_BEHIND, "pattern.look_behind", 255,                                             \
      "characters that a look-behind of a regular expression covers")                              \
    X(PATTERN_MATCH, "pattern.match", 100000,                                                      \
      "steps of one match of a regular expression, plus 2 for each byte")                          \
    X(PATTERN_HEAP_KIB, "pattern.heap_kib", 16384,                                                 \
      "KiB of memory for one match of a regular expression (PCRE2 heap limit)")                    \
    X(SUGGESTION_BYTES, "suggestion.bytes", 64,                                                    \
      "bytes of a name that a hint (\"did you mean ...\") may suggest")                            \
    X(SUGGESTION_NAMES, "suggestion.names", 1000, "names compared for one hint")                   \
    X(MIDDLEWARE, "middleware.entries", 64,                                                        \
      "entries of `middleware`, those of outer specs included")                                    \
    X(MIDDLEWARE_MS, "middleware.ms", 5000, "default: `timeout` of a command or http hook")        \
    X(MIDDLEWARE_MAX_MS, "middleware.max_ms", 600000, "`timeout` of a command or http hook")       \
    X(MIDDLEWARE_REPLY_BYTES, "middleware.reply_bytes", 1 << 20, "bytes of the reply of a hook")   \
    X(CHOICE_TOOLS, "choice.tools", 4096, "tools offered in one turn")                             \
    X(CHOICE_NAMES, "choice.names", 20,                                                            \
      "tools or phases that one message to a model lists by name")                                 \
    X(REFERENCES, "answer.references", 1000,                                                       \
      "references of an answer that are compared with their files; more are removed")              \
    X(AGENT_ROWS, "terminal.agents", 12,                                                           \
      "agents that the live tree of `haft ask` shows in lines of their own")                       \
    X(WATERFALL_RUNS, "waterfall.runs", 500, "rows of the picture of `haft runs show --svg`")      \
    X(ASK_WORKERS, "ask.workers", 16, "`--workers` of `haft ask`")                                 \
    X(ASK_TURNS, "ask.turns", 100, "`--turns` of `haft ask`")                                      \
    X(ASK_PATHS, "ask.paths", 256, "files and directories that `haft ask` searches")               \
    X(GRAPH_STEPS, "graph.steps", 10000, "`recursion_limit` of a graph")                           \
    X(GRAPH_STEPS_DEFAULT, "graph.steps_default", 25, "default: `recursion_limit` of a graph")     \
    X(GRAPH_ATTEMPTS, "graph.attempts", 100, "`attempts` of a node")                               \
    X(GRAPH_BACKOFF_MS, "graph.backoff_ms", 60000, "default: `max_backoff` of a node")             \
    X(GRAPH_TURNS, "graph.turns", 200, "default: `limits.turns` of a graph, for all its agents")   \
    X(GRAPH_CALLS, "graph.calls", 1000, "default: `limits.calls` of a graph, for all its agents")  \
    X(GRAPH_CHANNEL_BYTES, "graph.channel_bytes", 64 << 20, "bytes of the value of a channel")     \
    X(GRAPH_THREAD_BYTES, "graph.thread_bytes", 8 << 20,                                           \
      "bytes of the channels that a thread keeps for its next run")                                \
    X(GRAPH_STEP_BYTES, "graph.step_bytes", 64 << 20,                                              \
      "bytes of the results of nodes in one step, of its event, and of what it sends")             \
    X(GRAPH_TEXT_BYTES, "graph.text_bytes", 16 << 20, "bytes of a text made from a template")      \
    X(GRAPH_DEPTH, "graph.depth", 240, "nesting of a value that a node of a graph writes")         \
    X(GRAPH_CHECKED_TARGETS, "graph.checked_targets", 4096,                                        \
      "edge targets of a graph; above that, `haft check` does not warn about joins and "           \
      "conflicting writers")                                                                       \
    X(GRAPH_DRAWN_POINTS, "graph.drawn_points", 20000,                                             \
      "nodes and bends of edges in the drawing of a graph")                                        \
    X(TOOL_NAME_BYTES, "tool.name_bytes", 128, "bytes of a tool's name")                           \
    X(TOOL_DESCRIPTION_BYTES, "tool.description_bytes", 16384, "bytes of a tool's description")    \
    X(TOOL_FIELDS, "tool.fields", 16, "fields of one object of a tool declared in C")              \
    X(TOOL_FIELDS_TOTAL, "tool.fields_total", 256,                                                 \
      "fields of a tool declared in C, including those of nested objects")                         \
    X(TOOL_OBJECT_DEPTH, "tool.object_depth", 8, "nesting of objects in a tool declared in C")     \
    X(TOOL_COUNT, "tool.count", 16384, "tools in one registry")                                    \
    X(TOOL_ARGS, "tool.args", 64, "names in the `args` of a tool")                                 \
    X(TOOL_TIMEOUT_MS, "tool.timeout_ms", 86400000,                                                \
      "milliseconds that one attempt of a call may take")                                          \
    X(TOOL_POLL_DELAY_MS, "tool.poll_delay_ms", 3600000, "milliseconds of a tool's poll_delay")    \
    X(TOOL_RETRIES, "tool.retries", 10, "retries of a call after its first attempt")               \
    X(TOOL_RECOVERIES, "tool.recoveries", 5, "automatic retries of a call after a crash")          \
    X(TOOL_LANE_BYTES, "tool.lane_bytes", 64, "bytes of a lane's name")                            \
    X(TOOL_RESULT_BYTES, "tool.result_bytes", 16 << 20, "bytes of one result of a tool")           \
    X(MCP_REVEALED_BYTES, "mcp.revealed_bytes", 4 << 20,                                           \
      "bytes of the tool definitions that one search reveals")                                     \
    X(TOOL_SHARE_PERCENT, "tool.share_percent", 10,                                                \
      "percent of the context that a spec's own tools may take before they are deferred")          \
    X(SEARCH_LISTED, "search.listed", 10,                                                          \
      "further hits that a search lists in addition to the tools it reveals")                      \
    X(SEARCH_LINE_CHARS, "search.line_chars", 160,                                                 \
      "code points of the line about one tool in a search result")                                 \
    X(SEARCH_TASK_CHARS, "search.task_chars", 4000,                                                \
      "code points of the task that are used as a search query")                                   \
    X(SEARCH_INDEXES, "search.indexes", 8, "tool search indexes in the cache")                     \
    X(SEARCH_NAMES, "search.names", 1000, "tools of one server that an event lists by name")       \
    X(SEARCH_DEFERRED_BYTES, "search.deferred_bytes", 1 << 20,                                     \
      "bytes of the definitions of MCP tools, and of skills, that are declared before a search "   \
      "reveals them")                                                                              \
    X(SPEC_BYTES, "spec.bytes", 4 << 20, "bytes of one spec file")                                 \
    X(SPEC_VALUES, "spec.values", 250000, "values in one spec, after aliases are expanded")        \
    X(SPEC_PROBLEMS, "spec.problems", 100, "problems reported for one spec")                       \
    X(SPEC_DIFF_LINES, "spec.diff_lines", 50, "lines of a diff between two specs")                 \
    X(SPEC_AGENTS, "spec.agents", 1000,                                                            \
      "agents of one spec and of its agents; one that several agents use counts for each of them") \
    X(SPEC_TOOLS, "spec.tools", 4096, "tools in one spec")                                         \
    X(MEMORY_FILES, "memory.files", 16, "files of `memory` in one spec")                           \
    X(MEMORY_FILE_BYTES, "memory.file_bytes", 64 << 10,                                            \
      "bytes of one file of `memory`, or of AGENTS.md")                                            \
    X(MEMORY_BYTES, "memory.bytes", 256 << 10, "bytes of all memory files of one spec together")   \
    X(SKILLS, "skill.count", 10000, "skills of one spec")                                          \
    X(SKILLS_BYTES, "skill.all_bytes", 4 << 20,                                                    \
      "bytes of the names and descriptions of all skills of one spec together")                    \
    X(SKILL_ENTRIES, "skill.entries", 20000, "entries of a directory of `skills`")                 \
    X(SKILL_BYTES, "skill.bytes", 64 << 10, "bytes of one SKILL.md")                               \
    X(SKILL_TOKENS, "skill.tokens", 5000,                                                          \
      "estimated tokens of the body of a SKILL.md; above that, `haft check` warns")                \
    X(SKILL_NAME_CHARS, "skill.name_chars", 64, "characters of the name of a skill")               \
    X(SKILL_DESCRIPTION_CHARS, "skill.description_chars", 1024,                                    \
      "code points of the description of a skill")                                                 \
    X(SKILL_COMPATIBILITY_CHARS, "skill.compatibility_chars", 500,                                 \
      "code points of `compatibility` of a skill")                                                 \
    X(SKILL_TOOLS, "skill.tools", 100, "names in `allowed-tools` of one skill")                    \
    X(SKILL_FILES, "skill.files", 256, "files and directories in the folder of one skill")         \
    X(SKILL_FILE_BYTES, "skill.file_bytes", 256 << 10, "bytes of a file of a skill that is read")  \
    X(SKILL_CHARS, "skill.chars", 32768,                                                           \
      "code points of a result of a skill that the model sees, unless observation_chars is more")  \
    X(SPEC_MODELS, "spec.models", 8, "models of one spec: the first, and those after it")          \
    X(FORMAT_BYTES, "format.bytes", 64 << 20, "bytes of a model's text that are parsed for calls") \
    X(FORMAT_NAME_BYTES, "format.name_bytes", 128,                                                 \
      "bytes of a tool name or call id in a model's text")                                         \
    X(FORMAT_RAW_BYTES, "format.raw_bytes", 4096, "bytes of a malformed call that are reported")   \
    X(GRAMMAR_BYTES, "grammar.bytes", 64 << 10,                                                    \
      "bytes of one grammar, or of the schema of one reply")                                       \
    X(GRAMMAR_MEMORY, "grammar.memory", 16 << 20,                                                  \
      "bytes of memory to generate one grammar or schema")                                         \
    X(GRAMMAR_STEPS, "grammar.steps", 5000, "subschemas visited for one tool of a grammar")        \
    X(GRAMMAR_DEPTH, "grammar.depth", 64, "nesting of subschemas in a grammar")                    \
    X(GRAMMAR_REPEAT, "grammar.repeat", 500, "count of a repetition in a grammar")                 \
    X(GRAMMAR_REPEATS, "grammar.repeats", 10000,                                                   \
      "sum of the counts of all repetitions in one grammar")                                       \
    X(GRAMMAR_ENUM, "grammar.enum", 500, "values of an enum in a grammar")                         \
    X(EVENT_RELAXED, "event.relaxed", 8,                                                           \
      "relaxed keywords that an event lists; the event also has the number of all of them")        \
    X(GRAMMAR_RELAXED, "grammar.relaxed", 200,                                                     \
      "relaxed keywords that are reported for one grammar")                                        \
    X(CONFIG_BYTES, "config.bytes", 64 << 10, "bytes of a settings file or a .env file")           \
    X(DOTENV_VARIABLES, "config.variables", 256, "variables in a .env file")                       \
    X(PLAN_CHARS, "prompt.plan_chars", 1500, "code points of the strategic plan in the prompt")    \
    X(FILES_GLOB_BYTES, "files.glob_bytes", 1024, "bytes of one path pattern")                     \
    X(FILES_GLOB_ALTERNATIVES, "files.glob_alternatives", 256,                                     \
      "patterns that the braces of one path pattern expand to")                                    \
    X(FILES_PATH_BYTES, "files.path_bytes", 4095,                                                  \
      "bytes of a path below the root, or an ignore rule")                                         \
    X(FILES_DEPTH, "files.depth", 128, "directory levels that a search descends")                  \
    X(FILES_ENTRIES, "files.entries", 1000000, "files and directories that one search visits")     \
    X(FILES_IGNORE_BYTES, "files.ignore_bytes", 1 << 20, "bytes of one .gitignore that are read")  \
    X(FILES_RESULT_BYTES, "files.result_bytes", 256 << 10,                                         \
      "bytes of one result of glob, grep or read, without notes")                                  \
    X(FILES_GLOB_RESULTS, "files.glob_results", 1000, "paths in one result of glob")               \
    X(FILES_FILE_BYTES, "files.file_bytes", 64 << 20, "bytes of one file that grep and read use")  \
    X(FILES_READ_DEFAULT, "files.read_default", 2000, "lines that read returns by default")        \
    X(FILES_READ_LINES, "files.read_lines", 20000, "lines that read returns at most")              \
    X(FILES_READ_LINE_BYTES, "files.read_line_bytes", 2000, "bytes of one line in read's result")  \
    X(FILES_MATCH_STEPS, "files.match_steps", 100000,                                              \
      "steps of one match of grep (PCRE2 match limit)")                                            \
    X(FILES_GREP_DEFAULT, "files.grep_default", 100, "lines that grep returns by default")         \
    X(FILES_GREP_LINES, "files.grep_lines", 2000, "lines that grep returns at most")               \
    X(FILES_GREP_LINE_BYTES, "files.grep_line_bytes", 400, "bytes of one line in grep's result")   \
    X(FILES_SEARCH_BYTES, "files.search_bytes", 1 << 20,                                           \
      "bytes of a line that grep matches in one piece; a longer line is matched in parts")         \
    X(REPLY_BYTES, "model.reply_bytes", 32 << 20, "bytes of one model reply")                      \
    X(REPLY_CALLS, "model.reply_calls", 1024, "calls in one model reply")                          \
    X(REPLY_ITEMS, "model.reply_items", 4096, "items or parts in one reply of a model")            \
    X(MODEL_EVENT_BYTES, "model.event_bytes", 8 << 20, "bytes of one event of a streamed reply")   \
    X(MODEL_ERROR_BYTES, "model.error_bytes", 64 << 10,                                            \
      "bytes of a model server's error response that are read")                                    \
    X(MODEL_ERROR_CHARS, "model.error_chars", 500,                                                 \
      "code points of a model server's error message that are kept")                               \
    X(MODEL_NAME_BYTES, "model.name_bytes", 1024, "bytes of a model's name")                       \
    X(MODEL_KEY_BYTES, "model.key_bytes", 16 << 10, "bytes of a file with an API key")             \
    X(MODEL_LIST, "model.list", 1000,                                                              \
      "models of one server that `haft models` lists; the rest is left out")                       \
    X(MODEL_LIST_BYTES, "model.list_bytes", 4 << 20, "bytes of a server's list of models")         \
    X(MODEL_HINT_MS, "model.hint_ms", 300,                                                         \
      "milliseconds that a run without a model waits for model servers on this machine to reply")  \
    X(MODEL_LIST_MS, "model.list_ms", 3000,                                                        \
      "milliseconds that `haft models` waits for servers to reply")                                \
    X(MODEL_REPLY_TOKENS, "model.reply_tokens", 16384,                                             \
      "tokens of a reply if the provider requires a limit and the spec sets none")                 \
    X(MODEL_RETRIES, "model.retries", 2, "retries of a model call after its first attempt")        \
    X(MODEL_RETRY_MS, "model.retry_ms", 60000,                                                     \
      "longest Retry-After of a model server that haft waits for, in milliseconds")                \
    X(MODEL_BLOCK_MS, "model.block_ms", 60 * 60 * 1000,                                            \
      "milliseconds after which a model server is asked again, whatever its Retry-After says")     \
    X(MODEL_REQUESTS, "model.requests", 32,                                                        \
      "concurrent requests of one process to one model server")                                    \
    X(MODEL_REFUSALS, "model.refusals", 32,                                                        \
      "refused members of requests that are remembered for one model at one URL")                  \
    X(MODEL_REFUSAL_MS, "model.refusal_ms", 24 * 60 * 60 * 1000,                                   \
      "milliseconds for which a refused member of requests is remembered")                         \
    X(MODEL_CONTINUATIONS, "model.continuations", 16,                                              \
      "further requests for one reply, if the server wants to continue it in another request")     \
    X(MODEL_CONNECT_MS, "model.connect_ms", 10000, "milliseconds to connect to a model server")    \
    X(MODEL_FIRST_BYTE_MS, "model.first_byte_ms", 120000,                                          \
      "milliseconds from a model request to the first byte of its reply")                          \
    X(MODEL_IDLE_MS, "model.idle_ms", 60000, "milliseconds between two bytes of a model reply")    \
    X(MODEL_TOTAL_MS, "model.total_ms", 600000, "milliseconds of one attempt of a model call")     \
    X(SCRIPT_REPLIES, "script.replies", 100000, "replies in one script of the scripted model")     \
    X(INPUT_BYTES, "run.input_bytes", 4 << 20, "bytes of one --input file of a task")              \
    X(OFFLINE_WORDS, "offline.words", 8, "words of a task that the model `offline` searches for")  \
    X(OFFLINE_LINES, "offline.lines", 4000, "lines of results that `offline` remembers")           \
    X(OFFLINE_FILES, "offline.files", 2000, "files in results that `offline` remembers")           \
    X(OFFLINE_AT_ONCE, "offline.at_once", 3, "calls in one reply of `offline`")                    \
    X(OFFLINE_SEARCHES, "offline.searches", 8, "searches by `offline`, unless it must call tools") \
    X(OFFLINE_READS, "offline.reads", 6, "file reads by `offline`, unless it must call tools")     \
    X(OFFLINE_OTHERS, "offline.others", 8,                                                         \
      "calls of other tools by `offline`, unless it must call tools; also the number of their "    \
      "results that it quotes")                                                                    \
    X(OFFLINE_LINE_CHARS, "offline.line_chars", 160,                                               \
      "code points of a line that `offline` quotes")                                               \
    X(OFFLINE_RESULT_CHARS, "offline.result_chars", 1500,                                          \
      "code points of one result of another tool that `offline` quotes")                           \
    X(OFFLINE_QUOTED_FILES, "offline.quoted_files", 6, "files that a report of `offline` quotes")  \
    X(OFFLINE_QUOTED_LINES, "offline.quoted_lines", 12,                                            \
      "lines of one file that a report of `offline` quotes")                                       \
    X(OFFLINE_REFERENCES, "offline.references", 3, "lines that `offline` lists as the best hits")  \
    X(OFFLINE_FURTHER_LINES, "offline.further_lines", 6,                                           \
      "lines that an answer of `offline` lists after the best hits")                               \
    X(OFFLINE_MERGED, "offline.merged", 200,                                                       \
      "places in the findings of workers that `offline` compares")                                 \
    X(OFFLINE_MERGED_SHOWN, "offline.merged_shown", 8,                                             \
      "places that `offline` lists when it merges findings")                                       \
    X(OFFLINE_STEPS, "offline.steps", 40, "calls that a report of `offline` lists")                \
    X(RUN_EVENTS, "run.events", 1000000, "events of one run")                                      \
    X(RUN_BYTES, "run.bytes", 512 << 20, "bytes of one run's events in memory")                    \
    X(ARTIFACT_BINARY_BYTES, "artifact.binary_bytes", 8 << 20,                                     \
      "bytes of one binary result of a tool that becomes an artifact")                             \
    X(CHILD_DEPTH, "child.depth", 4, "levels of child runs below the first run")                   \
    X(CHILD_COUNT, "child.count", 1000, "child runs that one run may start")                       \
    X(CHILD_OPEN, "child.open", 1000, "child runs that one process works on at once")              \
    X(CHILD_KEPT, "child.kept", 16,                                                                \
      "waiting child runs that stay in memory for a person who is asked here")                     \
    X(CHILD_POLL_MS, "child.poll_ms", 250,                                                         \
      "milliseconds between two polls for child runs that other processes have changed")           \
    X(CHILD_POLL_COUNT, "child.poll_count", 64, "child runs that one such poll reads")             \
    X(RUN_HANDOFFS, "run.handoffs", 16, "handoffs of one run to another agent")                    \
    X(RUN_USER_BYTES, "run.user_bytes", 256, "bytes of the name of a run's user")                  \
    X(RUN_MESSAGES, "run.messages", 2000, "messages of the conversation that a run begins with")   \
    X(STORE_TEXT_BYTES, "store.text_bytes", 64 << 20,                                              \
      "bytes of one event, spec, answer, artifact, message or result in a store")                  \
    X(STORE_NAME_BYTES, "store.name_bytes", 4096,                                                  \
      "bytes of a name in a store: thread, user, owner, scope, path and so on")                    \
    X(STORE_LIST, "store.list", 1000, "runs in one list, or in a thread's history")                \
    X(STORE_MESSAGES, "store.messages", 1000,                                                      \
      "messages queued for one run; also messages that are received at once")                      \
    X(STORE_RESULTS, "store.results", 10000,                                                       \
      "cached results of calls in a store; the oldest are dropped first")                          \
    X(HTTP_IDLE, "http.idle", 128,                                                                 \
      "idle connections that an HTTP client keeps; also finished requests that it keeps for "      \
      "reuse")                                                                                     \
    X(HTTP_HEADER_BYTES, "http.header_bytes", 256 << 10,                                           \
      "bytes of the headers of a response that haft receives")                                     \
    X(STORE_BATCH, "store.batch", 512, "requests written to a database in one transaction")        \
    X(STORE_ROW_BYTES, "store.row_bytes", 64 << 10,                                                \
      "bytes of events in a database row after which a new row begins")                            \
    X(STORE_GC_RUNS, "store.gc_runs", 100, "runs removed from a database in one transaction")      \
    X(WORK_RUNS, "work.runs", 1000, "runs that a worker works on at once")                         \
    X(WORK_POLL_MS, "work.poll_ms", 60000, "milliseconds between two polls of an idle worker")     \
    X(WORK_ABANDONED_MS, "work.abandoned_ms", 1000,                                                \
      "milliseconds between two polls of a busy worker for abandoned runs")                        \
    X(WORK_POLL_FAILURES, "work.poll_failures", 3,                                                 \
      "failed polls in a row before a stopping worker gives up")                                   \
    X(WORK_SUSPECT_CRASHES, "work.suspect_crashes", 3,                                             \
      "crashes in a row without progress; a worker continues runs that reach this number one at "  \
      "a time")                                                                                    \
    X(WORK_CRASHES, "work.crashes", 10,                                                            \
      "crashes in a row without progress after which a worker ends the run")                       \
    X(WORK_SKIPPED, "work.skipped", 1000, "runs that a worker skips until a later time")           \
    X(WORK_RETRY_MS, "work.retry_ms", 5000,                                                        \
      "milliseconds until a skipped run is claimed again; doubled each time")                      \
    X(WORK_RETRY_MAX_MS, "work.retry_max_ms", 600000,                                              \
      "longest delay until a skipped run is claimed again, in milliseconds")                       \
    X(WORK_STOP_MS, "work.stop_ms", 5000,                                                          \
      "milliseconds that a stopping worker waits for its store")                                   \
    X(WORK_FAST_STOP_MS, "work.fast_stop_ms", 500,                                                 \
      "milliseconds that a stopping worker waits for its store after a second signal")             \
    X(RESUME_RUNS, "resume.runs", 16, "runs that `resume --all` resumes at once")                  \
    X(MIGRATE_LEASE_MS, "migrate.lease_ms", 7 * 24 * 3600 * 1000,                                  \
      "milliseconds that a run stays locked if its migration was interrupted")                     \
    X(STORE_FREE_BYTES, "store.free_bytes", 256 << 20,                                             \
      "free bytes of a disk below which `haft doctor` warns")                                      \
    X(STORE_AHEAD_MS, "store.ahead_ms", 60000,                                                     \
      "milliseconds that the creation time of a run may be ahead of the clock before `haft "       \
      "doctor` warns")                                                                             \
    X(STORE_SKEW_MS, "store.skew_ms", 1000,                                                        \
      "milliseconds that a database's clock may be off before `haft doctor` warns")                \
    X(STORE_BUSY_MS, "store.busy_ms", 5000, "milliseconds to wait for a lock of a database")       \
    X(STORE_RESERVE_BYTES, "store.reserve_bytes", 1 << 20,                                         \
      "bytes reserved for the writes that must succeed even if the disk is full")                  \
    X(STORE_CACHE_KIB, "store.cache_kib", 1024, "KiB of page cache of an SQLite connection")       \
    X(STORE_WAL_PAGES, "store.wal_pages", 1000,                                                    \
      "pages of an SQLite write-ahead log before a checkpoint")                                    \
    X(STORE_PG_REQUEST_MS, "store.pg_request_ms", 30000,                                           \
      "milliseconds of one request to PostgreSQL, including reconnects")                           \
    X(STORE_PG_CONNECT_MS, "store.pg_connect_ms", 10000,                                           \
      "milliseconds to connect to PostgreSQL, unless the URL has a connect_timeout")               \
    X(STORE_PG_BACKOFF_MS, "store.pg_backoff_ms", 100,                                             \
      "milliseconds before PostgreSQL is retried; doubled each time")                              \
    X(STORE_PG_BACKOFF_MAX_MS, "store.pg_backoff_max_ms", 5000,                                    \
      "longest delay before PostgreSQL is retried, in milliseconds")                               \
    X(STORE_PG_LOCK_MS, "store.pg_lock_ms", 500,                                                   \
      "milliseconds that a PostgreSQL transaction waits for a lock before other requests proceed") \
    X(STORE_PG_TRIES, "store.pg_tries", 5,                                                         \
      "retries of a PostgreSQL request after a deadlock or a lost connection")                     \
    X(EXEC_UNFINISHED, "exec.unfinished", 1000,                                                    \
      "cancelled calls that the program took from the queue and has not finished")                 \
    X(SQL_DATABASES, "sql.databases", 32, "databases of one spec")                                 \
    X(SQL_ROWS_DEFAULT, "sql.rows_default", 200, "default: rows of one result")                    \
    X(SQL_ROWS, "sql.rows", 1000000, "`rows` of a database")                                       \
    X(SQL_BYTES_DEFAULT, "sql.bytes_default", 64 << 10, "default: bytes of one result")            \
    X(SQL_BYTES, "sql.bytes", 16 << 20, "`bytes` of a database")                                   \
    X(SQL_TIMEOUT_DEFAULT_MS, "sql.timeout_default_ms", 5000,                                      \
      "default: milliseconds of one query")                                                        \
    X(SQL_TIMEOUT_MS, "sql.timeout_ms", 600000, "`timeout` of a database, in milliseconds")        \
    X(SQL_QUERY_BYTES, "sql.query_bytes", 100000, "bytes of one query")                            \
    X(SQL_PARAMETERS, "sql.parameters", 1000, "placeholders of one query")                         \
    X(SQL_VALUE_BYTES, "sql.value_bytes", 1 << 20, "bytes of one value in a query of SQLite")      \
    X(SQL_CELL_BYTES, "sql.cell_bytes", 500, "bytes of one value that a table shows")              \
    X(SQL_RESULT_COLUMNS, "sql.result_columns", 500, "columns of one result of SQLite")            \
    X(SQL_DEPTH, "sql.depth", 200, "nesting of one expression of SQLite")                          \
    X(SQL_COMPOUND, "sql.compound", 100, "SELECTs that UNION and similar words join in SQLite")    \
    X(SQL_STEPS, "sql.steps", 25000, "instructions of one compiled query of SQLite")               \
    X(SQL_PATTERN_BYTES, "sql.pattern_bytes", 100,                                                 \
      "bytes of a pattern of LIKE and GLOB in SQLite")                                             \
    X(SQL_MEMORY_BYTES, "sql.memory_bytes", 256 << 20,                                             \
      "bytes that all SQLite queries and stores of a process use before a query is stopped")       \
    X(SQL_NAME_BYTES, "sql.name_bytes", 1024,                                                      \
      "bytes of a table's name; a table with a longer one is not shown")                           \
    X(SQL_TABLES, "sql.tables", 20000, "tables of one database that are listed")                   \
    X(SQL_COLUMNS, "sql.columns", 200000, "columns of one database that are listed")               \
    X(SQL_CATALOG_BYTES, "sql.catalog_bytes", 256 << 20,                                           \
      "bytes of the list of tables and columns")                                                   \
    X(SQL_FOUND_TABLES, "sql.found_tables", 20, "tables of one result of search_schemas")          \
    X(SQL_FOUND_DEFAULT, "sql.found_default", 5,                                                   \
      "default: tables of one result of search_schemas")                                           \
    X(SQL_FOUND_COLUMNS, "sql.found_columns", 40, "columns of a found table, and all its keys")    \
    X(SQL_FOUND_BYTES, "sql.found_bytes", 16 << 10, "bytes of the tables that a search finds")     \
    X(SQL_JOIN_TABLES, "sql.join_tables", 2, "tables between two found tables on a path of keys")  \
    X(SQL_SAMPLES, "sql.samples", 3, "sample values of one column")                                \
    X(SQL_SAMPLE_BYTES, "sql.sample_bytes", 40, "bytes of one sample value; longer ones are none") \
    X(SQL_SAMPLE_ROWS, "sql.sample_rows", 100, "rows of a table in which samples are searched")    \
    X(SQL_CONNECT_MS, "sql.connect_ms", 10000,                                                     \
      "milliseconds to connect to a database of PostgreSQL")                                       \
    X(POOL_THREADS, "pool.threads", 4, "threads for C functions and file searches")                \
    X(POOL_ABANDONED, "pool.abandoned", 8,                                                         \
      "replaced threads whose job exceeded its timeout and is still running")                      \
    X(CHILD_ERROR_BYTES, "child.error_bytes", 8192,                                                \
      "last bytes of a program's standard error that are kept")                                    \
    X(HTTP_REDIRECTS, "http.redirects", 5, "redirects that an HTTP tool follows")                  \
    X(HTTP_ERROR_BYTES, "http.error_bytes", 1000,                                                  \
      "bytes of the response body that the error of an HTTP tool shows")                           \
    X(CHAT_TOOLS, "chat.tools", 128, "tools in one Chat Completions request")                      \
    X(CHAT_CALLS, "chat.calls", 128, "tool calls in one message of a Chat Completions request")    \
    X(CHAT_PIECES, "chat.pieces", 256,                                                             \
      "chunks in which one text of a Chat Completions reply is streamed")                          \
    X(BENCH_RUNS, "bench.runs", 1000000, "runs of one benchmark; also calls of one of its runs")   \
    X(BENCH_AT_ONCE, "bench.at_once", 16384, "concurrent runs of a benchmark")                     \
    X(SERVER_HEADER_BYTES, "server.header_bytes", 16384,                                           \
      "bytes of the first line and headers of a request to an HTTP server of haft")                \
    X(SERVER_BODY_BYTES, "server.body_bytes", 64 << 20,                                            \
      "bytes of the body of a request to an HTTP server of haft")                                  \
    X(SERVER_BODIES_BYTES, "server.bodies_bytes", 256 << 20,                                       \
      "bytes of all request bodies that a server has in memory at once")                           \
    X(SERVER_EXCESS_BYTES, "server.excess_bytes", 1 << 20,                                         \
      "bytes above server.body_bytes that are read and discarded, so that the client receives "    \
      "the response")                                                                              \
    X(SERVER_QUEUE_BYTES, "server.queue_bytes", 64 << 20,                                          \
      "bytes queued for the client of a streamed response")                                        \
    X(SERVER_QUEUES_BYTES, "server.queues_bytes", 256 << 20,                                       \
      "bytes queued for all clients of a server")                                                  \
    X(SERVER_CONNECTIONS, "server.connections", 16384, "concurrent connections to one server")     \
    X(SERVER_IDLE_MS, "server.idle_ms", 75000,                                                     \
      "milliseconds that a connection to a server may be idle")                                    \
    X(SERVER_RECEIVE_MS, "server.receive_ms", 60000,                                               \
      "milliseconds to receive the headers of a request; also each 64 KiB of its body")            \
    X(SERVE_CALL_BYTES, "serve.call_bytes", 256 << 20,                                             \
      "bytes of memory for one request to haft serve, with the run that it reads")                 \
    X(SERVE_BODY_BYTES, "serve.body_bytes", 8 << 20,                                               \
      "bytes of the body of a request to haft serve")                                              \
    X(SERVE_STREAM_BYTES, "serve.stream_bytes", 32 << 20,                                          \
      "bytes of a response of haft serve that its client has not read")                            \
    X(SERVE_PROBLEM_BYTES, "serve.problem_bytes", 16384,                                           \
      "bytes of an error response of haft serve")                                                  \
    X(SERVE_OPENAPI_BYTES, "serve.openapi_bytes", 1 << 20, "bytes of /openapi.json")               \
    X(SERVE_STREAMS, "serve.streams", 8192, "streams and waiting requests of haft serve at once")  \
    X(SERVE_STALL_MS, "serve.stall_ms", 30000,                                                     \
      "milliseconds after which a stream is cut whose client reads nothing")                       \
    X(SERVE_PAGE, "serve.page", 1000, "items of one page of a list of haft serve")                 \
    X(SERVE_SCAN, "serve.scan", 10000, "runs that one filtered list of haft serve reads")          \
    X(SERVE_WAIT_S, "serve.wait_s", 600,                                                           \
      "seconds that a request to haft serve may wait for a run")                                   \
    X(SERVE_COMMAND_WAIT_S, "serve.command_wait_s", 10,                                            \
      "default: seconds that a command waits until the run has read it")                           \
    X(SERVE_BATCH, "serve.batch", 100, "commands in one request to haft serve")                    \
    X(SERVE_KEY_BYTES, "serve.key_bytes", 256, "bytes of an Idempotency-Key")                      \
    X(SERVE_RATE, "serve.rate", 2000,                                                              \
      "default: requests a second of one token, or of all clients without tokens")                 \
    X(SERVE_TOKENS, "serve.tokens", 1000, "tokens in a token file of haft serve")                  \
    X(SERVE_TOKEN_FILE_BYTES, "serve.token_file_bytes", 1 << 20,                                   \
      "bytes of a token file of haft serve")                                                       \
    X(EXEC_MEMORY_MIB, "exec.memory_mib", 4096, "MiB of address space of a command's process")     \
    X(EXEC_WORD_BYTES, "exec.word_bytes", 131071, "bytes of one argument of a command tool")       \
    X(EXEC_FILES, "exec.files", 1024, "files that a command's process may have open")              \
    X(EXEC_STARTS, "exec.starts", 32,                                                              \
      "commands that one process starts at once; others start a moment later")                     \
    X(EXEC_GRACE_MS, "exec.grace_ms", 10000, "milliseconds that the guard has to end a command")   \
    X(EXEC_SWEEP_MS, "exec.sweep_ms", 4000,                                                        \
      "milliseconds to find and kill the processes that a killed guard left running")              \
    X(EXEC_PROGRESS_BYTES, "exec.progress_bytes", 1 << 20,                                         \
      "bytes of progress of one call that are not yet sent")                                       \
    X(SANDBOX_MEMORY_MIB, "sandbox.memory_mib", 256,                                               \
      "MiB of address space of a program in the sandbox")                                          \
    X(SANDBOX_CPU_S, "sandbox.cpu_s", 20, "seconds of CPU time of a program in the sandbox")       \
    X(SANDBOX_OPEN_FILES, "sandbox.open_files", 64,                                                \
      "files that a program in the sandbox may have open")                                         \
    X(SANDBOX_OUTPUT_BYTES, "sandbox.output_bytes", 1 << 20,                                       \
      "bytes of the standard output, and of the standard error, of a program in the sandbox")      \
    X(SANDBOX_SCRATCH_BYTES, "sandbox.scratch_bytes", 32 << 20,                                    \
      "bytes of the scratch directory of a program in the sandbox")                                \
    X(SANDBOX_SCRATCH_FILES, "sandbox.scratch_files", 1024,                                        \
      "files and directories in that scratch directory")                                           \
    X(SANDBOX_KEPT_FILES, "sandbox.kept_files", 16,                                                \
      "files of that directory that become artifacts")                                             \
    X(SANDBOX_KEPT_BYTES, "sandbox.kept_bytes", 8 << 20, "bytes of these files together")          \
    X(SANDBOX_MESSAGE_BYTES, "sandbox.message_bytes", 4 << 20,                                     \
      "bytes of one message of a program in the sandbox, and of its code")                         \
    X(SANDBOX_REPLY_BYTES, "sandbox.reply_bytes", 64 << 20,                                        \
      "bytes that wait for a program in the sandbox")                                              \
    X(SANDBOX_CALLS, "sandbox.calls", 64, "tool calls that code makes at the same time")           \
    X(SANDBOX_NESTED, "sandbox.nested", 1000, "tool calls of one program in the sandbox")          \
    X(SANDBOX_PRESTARTED, "sandbox.prestarted", 1,                                                 \
      "interpreters that wait for the next program of a process")                                  \
    X(SANDBOX_PATHS, "sandbox.paths", 64,                                                          \
      "paths that a program in the sandbox may use, those of its interpreter included")            \
    X(SANDBOX_KILL_MS, "sandbox.kill_ms", 4000,                                                    \
      "milliseconds that the supervisor of a sandbox has to end it and to remove its files")       \
    X(SANDBOX_UID, "sandbox.uid", 65534,                                                           \
      "default: the user of a program in the sandbox if haft is root")                             \
    X(REDACT_MIN_BYTES, "redact.min_bytes", 8, "minimum bytes of a secret that is redacted")       \
    X(REDACT_SECRETS, "redact.secrets", 512, "secrets that are redacted")                          \
    X(REDACT_SECRET_BYTES, "redact.secret_bytes", 16384, "bytes of one secret")                    \
    X(REDACT_BYTES, "redact.bytes", 4 << 20, "bytes of all secrets, in all their encodings")       \
    X(RUN_FINAL_MS, "run.final_ms", 60000,                                                         \
      "milliseconds that a final answer may take after limits.wall is reached")                    \
    X(RUN_LEASE_MS, "run.lease_ms", 30000,                                                         \
      "default: milliseconds of a run's lease after its last renewal")                             \
    X(RUN_LEASE_MIN_MS, "run.lease_min_ms", 1000,                                                  \
      "shortest lease of a run that can be set, in milliseconds")                                  \
    X(RUN_LEASE_MAX_MS, "run.lease_max_ms", 3600000,                                               \
      "longest lease of a run that can be set, in milliseconds")                                   \
    X(RUN_LISTEN_MS, "run.listen_ms", 200,                                                         \
      "milliseconds between two polls for commands from other processes")                          \
    X(RUN_RETRY_MS, "run.retry_ms", 100,                                                           \
      "milliseconds before a failed request to the store is retried; doubled each time")           \
    X(RUN_RETRY_MAX_MS, "run.retry_max_ms", 2000,                                                  \
      "longest delay before a failed request to the store is retried, in milliseconds")            \
    X(RUN_BUFFERED_BYTES, "run.buffered_bytes", 64 << 20,                                          \
      "bytes of events that a run buffers while its store cannot be written")                      \
    X(RUN_UNREAD_BYTES, "run.unread_bytes", 256 << 10,                                             \
      "bytes of unread events above which progress events are dropped")                            \
    X(PROGRESS_WITHHELD_BYTES, "progress.withheld_bytes", 32 << 10,                                \
      "bytes of a reply that are withheld because a secret may begin in them")                     \
    X(TERMINAL_TEXT_BYTES, "terminal.text_bytes", 64 << 10,                                        \
      "bytes of a question, or of a call to approve, that the terminal shows")                     \
    X(LINE_BYTES, "line.bytes", 256 << 10, "bytes of one input to chat, typed or piped")           \
    X(MARKDOWN_SPAN_BYTES, "markdown.span_bytes", 2048,                                            \
      "bytes of one emphasis, code span or link of Markdown on a terminal")                        \
    X(LINE_COMPLETIONS, "line.completions", 100, "completions that chat shows at once")            \
    X(HISTORY_LINES, "history.lines", 1000, "lines in the history of chat")                        \
    X(HISTORY_BYTES, "history.bytes", 1 << 20,                                                     \
      "bytes of the history of chat; the oldest lines are dropped first")                          \
    X(MCP_MESSAGE_BYTES, "mcp.message_bytes", 32 << 20, "bytes of one MCP message")                \
    X(MCP_DEPTH, "mcp.depth", 128, "nesting of arrays and objects in one MCP message")             \
    X(MCP_VALUES, "mcp.values", 4 << 20, "values in one MCP message, keys included")               \
    X(MCP_ID_BYTES, "mcp.id_bytes", 256, "bytes of the id of an MCP message")                      \
    X(MCP_TOOLS, "mcp.tools", 50000, "tools in the list of one MCP server")                        \
    X(MCP_PAGES, "mcp.pages", 1000, "pages of the tool list of one MCP server")                    \
    X(MCP_LIST_BYTES, "mcp.list_bytes", 128 << 20,                                                 \
      "bytes of all pages of the tool list of one MCP server")                                     \
    X(MCP_CURSOR_BYTES, "mcp.cursor_bytes", 4096, "bytes of the cursor of a page of an MCP list")  \
    X(MCP_WARNINGS, "mcp.warnings", 100,                                                           \
      "warnings about the tool list of one MCP server, or about one import")                       \
    X(MCP_LEFT_OUT, "mcp.left_out", 20,                                                            \
      "left-out tools of one MCP server that an event lists by name")                              \
    X(MCP_DEFINITION_BYTES, "mcp.definition_bytes", 256 << 10,                                     \
      "bytes of the definition of an MCP tool")                                                    \
    X(MCP_PARAMS, "mcp.params", 32, "arguments of an MCP tool that are sent as headers")           \
    X(MCP_DIFF_LINES, "mcp.diff_lines", 50, "lines of the diff of a changed MCP tool definition")  \
    X(MCP_SERVERS, "mcp.servers", 256, "MCP servers in one spec")                                  \
    X(MCP_CALLS, "mcp.calls", 256, "calls of one MCP server that run or are queued")               \
    X(MCP_QUESTIONS, "mcp.questions", 16, "open questions of one MCP server")                      \
    X(MCP_ROUNDS, "mcp.rounds", 10, "questions that an MCP server may ask during one call")        \
    X(MCP_STATE_BYTES, "mcp.state_bytes", 64 << 10,                                                \
      "bytes of the state of an MCP server that is sent back to it with an answer")                \
    X(MCP_SESSION_BYTES, "mcp.session_bytes", 1024, "bytes of the id of an MCP session")           \
    X(IO_LOCK_TRIES, "io.lock_tries", 20,                                                          \
      "attempts, 10 ms apart, to open a file that another process has locked")                     \
    X(MCP_LOG_BYTES, "mcp.log_bytes", 4096,                                                        \
      "bytes that are shown of one log message of an MCP server")                                  \
    X(MCP_STDERR_LINES, "mcp.stderr_lines", 20,                                                    \
      "last lines that are shown of the standard error of a failed MCP server")                    \
    X(MCP_STDERR_BYTES, "mcp.stderr_bytes", 2000,                                                  \
      "bytes of the shown standard error of a failed MCP server, before hidden characters are "    \
      "escaped")                                                                                   \
    X(MCP_INSTRUCTIONS_BYTES, "mcp.instructions_bytes", 16384,                                     \
      "bytes of the instructions of an MCP server")                                                \
    X(MCP_BLOCKS, "mcp.blocks", 1000,                                                              \
      "content blocks that are shown of one result of an MCP tool")                                \
    X(MCP_RECORD_BYTES, "mcp.record_bytes", 64 << 20,                                              \
      "bytes of one state file about MCP servers: a tool list, or the pins")                       \
    X(MCP_UNREAD_BYTES, "mcp.unread_bytes", 64 << 20,                                              \
      "bytes queued for the standard input of an MCP server")                                      \
    X(MCP_PROBE_MS, "mcp.probe_ms", 5000,                                                          \
      "milliseconds to wait for an MCP server's version before the older handshake is used")       \
    X(MCP_READY_MS, "mcp.ready_ms", 20000,                                                         \
      "milliseconds from the start of an MCP server until its tools are listed; also to list "     \
      "them again")                                                                                \
    X(MCP_RESTARTS, "mcp.restarts", 3, "restarts of an MCP server before it is treated as failed") \
    X(MCP_BACKOFF_MS, "mcp.backoff_ms", 250,                                                       \
      "milliseconds before an MCP server is restarted; doubled each time")                         \
    X(MCP_COOLDOWN_MS, "mcp.cooldown_ms", 60000,                                                   \
      "milliseconds after which a failed MCP server may be tried again")                           \
    X(MCP_REFRESH_MS, "mcp.refresh_ms", 1000,                                                      \
      "minimum milliseconds between two refreshes of the tool list that an MCP server requests")   \
    X(MCP_RELISTS, "mcp.relists", 3,                                                               \
      "times that a tool list is fetched again because it changed between its pages")              \
    X(MCP_LIST_MS, "mcp.list_ms", 86400000,                                                        \
      "milliseconds that the tool list of an MCP server is used before it is fetched again")       \
    X(MCP_EXIT_MS, "mcp.exit_ms", 2000,                                                            \
      "milliseconds that an MCP server has to exit when its input or its session ends")            \
    X(MCP_TERM_MS, "mcp.term_ms", 2000,                                                            \
      "milliseconds that an MCP server has to exit after SIGTERM")                                 \
    X(MCP_RESUMES, "mcp.resumes", 5,                                                               \
      "times that a broken response stream of an MCP server is resumed")                           \
    X(MCP_RETRY_MS, "mcp.retry_ms", 1000,                                                          \
      "milliseconds before a broken response stream is resumed, unless the server sets the delay") \
    X(MCP_RETRY_MAX_MS, "mcp.retry_max_ms", 60000,                                                 \
      "longest delay that a server can set before its broken response stream is resumed, in "      \
      "milliseconds")                                                                              \
    X(MCP_REQUESTS, "mcp.requests", 256,                                                           \
      "concurrent requests of one session of haft mcp, or of all clients without a session")       \
    X(MCP_PAGE, "mcp.page", 250, "entries of one page of a list that haft mcp serves")             \
    X(MCP_STATE_MS, "mcp.state_ms", 3600000,                                                       \
      "milliseconds that a client may take to answer a question of haft mcp")                      \
    X(MCP_SEAL_FILE_BYTES, "mcp.seal_file_bytes", 2048,                                            \
      "bytes of the seal file of haft mcp: its key and the used states")                           \
    X(MCP_STATES, "mcp.states", 4096,                                                              \
      "open questions of haft mcp to clients without a handshake; older questions can no longer "  \
      "be answered")                                                                               \
    X(MCP_SESSIONS, "mcp.sessions", 1024,                                                          \
      "sessions of haft mcp over HTTP; above that, the session that was idle longest is dropped")  \
    X(MCP_SESSION_IDLE_MS, "mcp.session_idle_ms", 1800000,                                         \
      "milliseconds that an HTTP session of haft mcp may be idle")                                 \
    X(MCP_REPLAY_BYTES, "mcp.replay_bytes", 1 << 20,                                               \
      "bytes of one stream of haft mcp that are kept for reconnecting clients")                    \
    X(MCP_REPLAY_SESSION_BYTES, "mcp.replay_session_bytes", 4 << 20,                               \
      "bytes of all streams of one session of haft mcp that are kept for reconnecting clients")    \
    X(MCP_REPLAY_ALL_BYTES, "mcp.replay_all_bytes", 64 << 20,                                      \
      "bytes of all streams of haft mcp that are kept for reconnecting clients")                   \
    X(MCP_STREAMS, "mcp.streams", 64, "streams that one HTTP session of haft mcp keeps")           \
    X(MCP_TOKEN_MIN_BYTES, "mcp.token_min_bytes", 32,                                              \
      "minimum bytes of a token of haft mcp if clients on other machines can connect")             \
    X(MCP_TOKEN_FILE_BYTES, "mcp.token_file_bytes", 4096, "bytes of the token file of haft mcp")   \
    X(MCP_KEY_BYTES, "mcp.key_bytes", 256,                                                         \
      "bytes of an idempotency key that a client of haft mcp sends with a call")                   \
    X(EMBED_TEXT_BYTES, "embed.text_bytes", 1536, "bytes of a tool or query that are embedded")    \
    X(EMBED_BATCH, "embed.batch", 32, "texts in one embedding request")                            \
    X(EMBED_REPLY_BYTES, "embed.reply_bytes", 16 << 20, "bytes of an embedding reply")             \
    X(EMBED_QUERY_MS, "embed.query_ms", 1500,                                                      \
      "default: milliseconds to wait for the vector of a query")                                   \
    X(EMBED_QUERY_MAX_MS, "embed.query_max_ms", 60000,                                             \
      "longest wait for the vector of a query that a spec can set, in milliseconds")               \
    X(EMBED_TOOLS_MS, "embed.tools_ms", 20000,                                                     \
      "milliseconds that one search waits for vectors of tools; the next search gets the rest")    \
    X(EMBED_FIRST_MS, "embed.first_ms", 5000,                                                      \
      "milliseconds to connect to an embedding endpoint; also until the first byte of a reply "    \
      "with vectors of tools")                                                                     \
    X(EMBED_COOLDOWN_MS, "embed.cooldown_ms", 30000,                                               \
      "milliseconds for which a failed embedding endpoint is not used")                            \
    X(EMBED_CACHE_BYTES, "embed.cache_bytes", 64 << 20,                                            \
      "bytes of the file with the cached vectors of one embedding model")                          \
    X(SEARCH_DOCS, "search.docs", 1000000, "tools or tables in one search index")                  \
    X(SEARCH_QUERY_WORDS, "search.query_words", 150, "words of a search query that are used")      \
    X(SEARCH_NEAR_WORDS, "search.near_words", 16,                                                  \
      "unknown words of a search query that are replaced by similar words of the index")           \
    X(SEARCH_NEAR_TERMS, "search.near_terms", 4096,                                                \
      "words of the index that are compared with one unknown word of a query")                     \
    X(SEARCH_QUERY_BYTES, "search.query_bytes", 64 << 10, "bytes of a search query that are used") \
    X(SEARCH_WORD_BYTES, "search.word_bytes", 64,                                                  \
      "bytes of a word that is indexed; longer words are ignored")                                 \
    X(SEARCH_TEXT_BYTES, "search.text_bytes", 16384, "bytes of a name or text that are indexed")   \
    X(SEARCH_DOC_WORDS, "search.doc_words", 4096, "words of one tool or table that are indexed")   \
    X(SEARCH_DOC_VALUES, "search.doc_values", 10000,                                               \
      "values of one tool's schema that are indexed")                                              \
    X(SEARCH_SCHEMA_DEPTH, "search.schema_depth", 16,                                              \
      "nesting of objects in a schema that is indexed")                                            \
    X(SEARCH_VECTORS, "search.vectors", 1 << 20, "words in a table of word vectors")               \
    X(SEARCH_VECTORS_BYTES, "search.vectors_bytes", 64 << 20, "bytes of a table of word vectors")  \
    X(SEARCH_DIMENSIONS, "search.dimensions", 8192, "dimensions of an embedding vector")           \
    X(SEARCH_HITS, "search.hits", 10000, "hits of one search query")                               \
    X(TELEMETRY_QUEUE, "telemetry.queue", 2048,                                                    \
      "default: spans that wait to be sent; a full queue drops new ones")                          \
    X(TELEMETRY_QUEUE_MAX, "telemetry.queue_max", 1000000, "`OTEL_BSP_MAX_QUEUE_SIZE`")            \
    X(TELEMETRY_QUEUE_BYTES, "telemetry.queue_bytes", 64 << 20,                                    \
      "bytes of the spans that wait to be sent; a full queue drops new ones")                      \
    X(TELEMETRY_BATCH, "telemetry.batch", 512, "default: spans in one request")                    \
    X(TELEMETRY_DELAY_MS, "telemetry.delay_ms", 5000,                                              \
      "default: milliseconds until a span is sent")                                                \
    X(TELEMETRY_INTERVAL_MS, "telemetry.interval_ms", 60000,                                       \
      "default: milliseconds between two requests with metrics")                                   \
    X(TELEMETRY_INTERVAL_MAX_MS, "telemetry.interval_max_ms", 86400000, "milliseconds of both")    \
    X(TELEMETRY_TIMEOUT_MS, "telemetry.timeout_ms", 10000,                                         \
      "default: milliseconds for a request to a collector")                                        \
    X(TELEMETRY_TIMEOUT_MAX_MS, "telemetry.timeout_max_ms", 600000,                                \
      "`OTEL_EXPORTER_OTLP_TIMEOUT`")                                                              \
    X(TELEMETRY_FLUSH_MS, "telemetry.flush_ms", 5000,                                              \
      "milliseconds that a process waits for a collector when it ends")                            \
    X(TELEMETRY_ATTEMPTS, "telemetry.attempts", 6, "attempts to send one request to a collector")  \
    X(TELEMETRY_RETRY_MS, "telemetry.retry_ms", 1000,                                              \
      "milliseconds before the second attempt; each later one waits twice as long")                \
    X(TELEMETRY_RETRY_MAX_MS, "telemetry.retry_max_ms", 60000,                                     \
      "milliseconds before an attempt, if the collector names a time; a longer one is cut")        \
    X(TELEMETRY_RESPONSE_BYTES, "telemetry.response_bytes", 65536,                                 \
      "bytes of the response of a collector")                                                      \
    X(TELEMETRY_REQUEST_BYTES, "telemetry.request_bytes", 128 << 20,                               \
      "bytes of a request to a collector, and of the text of /metrics")                            \
    X(TELEMETRY_HEADERS, "telemetry.headers", 32,                                                  \
      "headers of `OTEL_EXPORTER_OTLP_HEADERS` that are used")                                     \
    X(TELEMETRY_RESOURCE, "telemetry.resource", 128,                                               \
      "attributes of `OTEL_RESOURCE_ATTRIBUTES` that are used")                                    \
    X(TELEMETRY_URL_BYTES, "telemetry.url_bytes", 2048, "bytes of the URL of a collector")         \
    X(TELEMETRY_TEXT_BYTES, "telemetry.text_bytes", 256,                                           \
      "bytes of a name in a span or metric that are used")                                         \
    X(TELEMETRY_CONTENT_BYTES, "telemetry.content_bytes", 16384,                                   \
      "bytes of a message, of arguments or of a result that are used in a span")                   \
    X(TELEMETRY_NAMES, "telemetry.names", 200,                                                     \
      "values of one label of the metrics; further ones are counted as \"other\"")                 \
    X(TELEMETRY_METRICS_BYTES, "telemetry.metrics_bytes", 64 << 20,                                \
      "bytes of all metrics of a process; metrics past it are not counted")                        \
    X(ARENA_BYTES, "arena.bytes", 1 << 30, "bytes of one arena, unless its owner sets less")

enum {
#define X(name, key, value, what) HAFT__LIMIT_##name = (value),
    HAFT__LIMITS(X)
#undef X
};

typedef struct haft__limit {
    const char *key;
    int64_t value;
    const char *what;
} haft__limit;

/* The table above, in its order. */
const haft__limit *haft__limits(size_t *ret_count);

#endif
