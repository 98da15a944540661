/* SPDX-License-Identifier: Apache-2.0 */
/* search_help.c - see search_help.h. */
#include "exec/search_help.h"

#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"

static searched run(search_function *function, const files *f, haft__files_request *search)
{
    searched s = {.text = {NULL, 0}};
    haft__buf result;
    haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
    search->root = search->root.len > 0 ? search->root : haft__str(f->path);
    s.status = function(search, &result, &s.error);
    char *text = test_alloc(result.len + 1);
    memcpy(text, result.len > 0 ? result.ptr : "", result.len);
    s.text = (haft_str){text, result.len};
    haft__buf_finish(&result);
    return s;
}

searched search_run(search_function *function, const files *f, haft__files_request search)
{
    searched s = run(function, f, &search);
    if (s.status == HAFT_OK) {
        CHECK(s.text.len > 0, "an empty result");
        CHECK(haft__utf8_valid(s.text), "a result that is not UTF-8");
        CHECK(memchr(s.text.ptr, '\0', s.text.len) == NULL, "a result with a NUL");
        CHECK(s.text.len < HAFT__LIMIT_FILES_RESULT_BYTES + 2048, "a result of %zu bytes",
              s.text.len);
    } else {
        CHECK_INT(s.error.status, s.status, "the status of the error");
    }
    return s;
}

void search_check(search_function *function, const files *f, haft__files_request search,
                  const char *wanted)
{
    searched s = search_run(function, f, search);
    CHECK_INT(s.status, HAFT_OK, "'%.*s' in '%.*s': %s", HAFT__ARG(search.pattern),
              HAFT__ARG(search.path), s.error.message);
    CHECK_STR(s.text, haft__str(wanted), "'%.*s' in '%.*s'", HAFT__ARG(search.pattern),
              HAFT__ARG(search.path));
}

void search_check_error(search_function *function, const files *f, haft__files_request search,
                        const char *message, const char *where, const char *hint)
{
    searched s = search_run(function, f, search);
    CHECK(s.status != HAFT_OK, "'%.*s' in '%.*s' has a result: %.*s", HAFT__ARG(search.pattern),
          HAFT__ARG(search.path), HAFT__ARG(s.text));
    CHECK_STR(haft__str(s.error.message), haft__str(message), "message");
    CHECK_STR(haft__str(s.error.where), haft__str(where), "where");
    CHECK_STR(haft__str(s.error.hint), haft__str(hint), "hint");
}

void search_check_memory(search_function *function, const files *f, haft__files_request search)
{
    for (unsigned n = 0; n < 10000; n++) {
        test_fail_allocation(n);
        searched s = run(function, f, &search);
        if (!test_allow_allocations()) {
            CHECK_INT(s.status, HAFT_OK, "the search if no allocation fails: %s", s.error.message);
            CHECK(n > 0, "the search allocates no memory");
            break;
        }
        CHECK_INT(s.status, HAFT_NO_MEMORY, "allocation %u: %s", n, s.error.message);
        CHECK_STR(haft__str(s.error.message), HAFT__LIT("out of memory"), "allocation %u", n);
    }
}

bool search_unprivileged(void (*inside)(void *context), void *context)
{
    bool privileged = geteuid() == 0;
    if (privileged && seteuid(65534) != 0) {
        test_skip("there is no other user to be");
        return false;
    }
    inside(context);
    if (privileged) {
        CHECK_INT(seteuid(0), 0, "root again");
    }
    return true;
}
