/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.c - finds the strongest profile that works, by running the canary in it.
 *
 * Single calls such as unshare() prove little: some distributions let them succeed and withhold the
 * privileges later. The canary tries what must fail and what must work in the real profile. Tests:
 * tests/exec/sandbox/probe_test.c.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sandbox/frame.h"
#include "exec/sandbox/sandbox.h"

#define PROBE_MS    20000
#define PROBE_BYTES 65536
#define HELD        "held"

extern const char haft__sandbox_canary[];

/* ---- the helper, the user ---- */

static haft_status find_helper(haft__arena *arena, const char *guard, haft__sandbox *sandbox,
                               haft_error *err)
{
    haft_str directory = haft__str(guard != NULL ? guard : "");
    while (directory.len > 0 && directory.ptr[directory.len - 1] != '/') {
        directory.len--;
    }
    haft_str path = haft__arena_format(arena, "%.*ssandbox", HAFT__ARG(directory));
    if (path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (directory.len == 0 || access(path.ptr, X_OK) != 0) {
        haft_status status = haft__fail(err, HAFT_NOT_FOUND, path.ptr, "no such program");
        return haft__hint(err, status, "make install installs it, next to guard");
    }
    sandbox->helper = path.ptr;
    return HAFT_OK;
}

haft_status haft__sandbox_parse_uid(haft_str text, uint32_t *ret_uid, haft_error *err)
{
    uint64_t uid = HAFT__LIMIT_SANDBOX_UID;
    if (text.len > 0 && (!haft__str_to_u64(text, &uid) || uid == 0 || uid >= UINT32_MAX)) {
        return haft__fail(err, HAFT_BAD_INPUT, "HAFT_SANDBOX_UID",
                          "expected the number of a user who is not root, found '%.*s'",
                          HAFT__ARG(text));
    }
    *ret_uid = (uint32_t)uid;
    return HAFT_OK;
}

static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    return version > 0 ? (int)version : 0;
}

/* ---- one profile ---- */

/* The reason why a profile does not work. `setup` is a step of the helper, or NULL. */
typedef struct verdict {
    bool held;
    int code; /* errno of the step */
    char setup[64], found[160];
} verdict;

static void read_frame(const haft__frame *frame, haft__buf *output, verdict *v)
{
    haft_str text = frame->payload;
    uint64_t code = 0;
    if (frame->kind == 'o') {
        haft__buf_add_str(output, text);
    } else if (frame->kind == 'n') {
        (void)haft__str_to_u64(haft__str_split(&text, ' '), &code);
        v->code = (int)code;
        (void)snprintf(v->setup, sizeof(v->setup), "%.*s", HAFT__ARG(text));
    }
}

static haft_status read_frames(haft_str bytes, verdict *v, haft_error *err)
{
    haft__frame_reader reader;
    haft__frame frame;
    haft__buf output;
    bool found = true;
    haft__buf_init(&output, PROBE_BYTES);
    haft__frame_reader_init(&reader, true, PROBE_BYTES);
    haft_status status = haft__frame_reader_feed(&reader, bytes, err);
    while (status == HAFT_OK && found) {
        status = haft__frame_reader_next(&reader, &frame, &found, err);
        if (status == HAFT_OK && found) {
            read_frame(&frame, &output, v);
        }
    }
    v->held = haft__str_equal(haft__buf_str(&output), HAFT__LIT(HELD));
    (void)snprintf(v->found, sizeof(v->found), "%.*s", HAFT__ARG(haft__buf_str(&output)));
    haft__buf_finish(&output);
    haft__frame_reader_finish(&reader);
    return status;
}

static haft_status try_profile(haft__arena *arena, haft__sandbox *sandbox,
                               haft__sandbox_profile profile, verdict *ret_verdict, haft_error *err)
{
    haft__sandbox_limits limits;
    haft__sandbox_finished ran;
    const char *const *words = NULL;
    *ret_verdict = (verdict){.held = false};
    sandbox->profile = profile;
    haft__sandbox_limits_init(&limits);
    haft_status status =
        haft__sandbox_python_words(sandbox, &limits, haft__sandbox_canary, arena, &words, err);
    if (status == HAFT_OK) {
        status = haft__sandbox_spawn(arena, words, PROBE_MS, PROBE_BYTES, &ran, err);
    }
    return status == HAFT_OK ? read_frames(ran.output, ret_verdict, err) : status;
}

/* ---- the reasons of a refusal ---- */

static haft_status fail_canary(const haft__sandbox *sandbox, const verdict *v, haft_error *err)
{
    haft_status status = haft__fail(
        err, HAFT_UNSUPPORTED, "", "the probe of the sandbox failed in the profile %s: %s",
        haft__sandbox_profile_name(sandbox->profile), v->found[0] != '\0' ? v->found : "no output");
    return haft__hint(err, status, "docs/sandbox.md lists what each kernel offers");
}

static haft_status fail_exec(const haft__sandbox *sandbox, const verdict *v, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, sandbox->interpreter,
                   "cannot be run by the user of the sandbox: %s", strerror(v->code));
    return haft__hint(err, status,
                      geteuid() == 0
                          ? "as root, haft runs code as the user %u, who cannot read this "
                            "file: install Python for all users, or set "
                            "HAFT_SANDBOX_UID"
                          : "install Python for all users (%u)",
                      sandbox->uid);
}

static haft_status fail_minimum(const haft__sandbox *sandbox, const verdict *namespaces,
                                const verdict *landlock, haft_error *err)
{
    if (strcmp(landlock->setup, "seccomp") == 0) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "",
                                        "the kernel does not accept a filter of system calls "
                                        "(seccomp: %s)",
                                        strerrorname_np(landlock->code));
        return haft__hint(err, status, "the sandbox needs Linux on x86-64 or arm64 with seccomp");
    }
    if (landlock->setup[0] == '\0') {
        return fail_canary(sandbox, landlock, err);
    }
    if (strcmp(landlock->setup, "exec") == 0) {
        return fail_exec(sandbox, landlock, err);
    }
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, "",
                   "the kernel offers neither Landlock (%s: %s) nor user "
                   "namespaces (%s: %s)",
                   landlock->setup, strerrorname_np(landlock->code),
                   namespaces->setup[0] != '\0' ? namespaces->setup : "not tried",
                   namespaces->code != 0 ? strerrorname_np(namespaces->code) : "-");
    return haft__hint(err, status,
                      "use a kernel from 5.13 on with Landlock, or allow user "
                      "namespaces; see docs/sandbox.md");
}

static haft_status choose_profile(haft__arena *arena, const haft__sandbox_options *options,
                                  haft__sandbox *sandbox, haft_error *err)
{
    verdict namespaces = {.held = false}, landlock;
    haft_status status = HAFT_OK;
    if (!options->no_namespaces) {
        status = try_profile(arena, sandbox, HAFT__SANDBOX_NAMESPACES, &namespaces, err);
    }
    if (status != HAFT_OK || namespaces.held) {
        return status;
    }
    if (!options->no_namespaces && namespaces.setup[0] == '\0') {
        return fail_canary(sandbox, &namespaces, err); /* something got out */
    }
    sandbox->weaker =
        options->no_namespaces
            ? HAFT__LIT("not wanted")
            : haft__arena_format(arena, "%s: %s", namespaces.setup,
                                 namespaces.code != 0 ? strerrorname_np(namespaces.code) : "-");
    if (sandbox->weaker.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    status = try_profile(arena, sandbox, HAFT__SANDBOX_LANDLOCK, &landlock, err);
    return status != HAFT_OK || landlock.held ? status
                                              : fail_minimum(sandbox, &namespaces, &landlock, err);
}

haft_status haft__sandbox_probe(haft__arena *arena, const haft__sandbox_options *options,
                                haft__sandbox *ret_sandbox, haft_error *err)
{
    haft__sandbox sandbox = {.landlock = landlock_version(), .weaker = HAFT__LIT("")};
    haft_status status = haft__sandbox_parse_uid(options->uid, &sandbox.uid, err);
    status = status == HAFT_OK ? find_helper(arena, options->guard, &sandbox, err) : status;
    if (status == HAFT_OK) {
        status = haft__sandbox_find_interpreter(arena, options->path, &sandbox, err);
    }
    status = status == HAFT_OK ? choose_profile(arena, options, &sandbox, err) : status;
    if (status == HAFT_OK) {
        *ret_sandbox = sandbox;
    }
    return status;
}
