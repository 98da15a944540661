/* SPDX-License-Identifier: Apache-2.0 */
/* terminal_caps.c - detects the capabilities of a terminal. Tests: tests/cli/terminal_test.py. */
#include "cli/terminal/terminal_caps.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MIN_WIDTH     20

static const char *or_empty(const char *value)
{
    return value != NULL ? value : "";
}

/* Whether the first locale variable that is set names UTF-8. The Linux console lacks most of the
 * symbols. */
static bool has_symbols(void)
{
    const char *locale = or_empty(getenv("LC_ALL"));
    locale = locale[0] != '\0' ? locale : or_empty(getenv("LC_CTYPE"));
    locale = locale[0] != '\0' ? locale : or_empty(getenv("LANG"));
    bool utf8 = strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
    return utf8 && strcmp(or_empty(getenv("TERM")), "linux") != 0;
}

haft__terminal_caps haft__terminal_caps_detect(FILE *out, bool plain)
{
    const char *term = or_empty(getenv("TERM"));
    bool able = term[0] != '\0' && strcmp(term, "dumb") != 0;
    bool live = !plain && able && isatty(fileno(out)) == 1;
    return (haft__terminal_caps){.live = live,
                                 .colour = live && or_empty(getenv("NO_COLOR"))[0] == '\0',
                                 .symbols = live && has_symbols(),
                                 .width = live ? haft__terminal_caps_width(out) : DEFAULT_WIDTH};
}

size_t haft__terminal_caps_width(FILE *out)
{
    struct winsize size = {0};
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    size_t width = known ? size.ws_col : DEFAULT_WIDTH;
    return width > MIN_WIDTH ? width : MIN_WIDTH;
}

bool haft__terminal_caps_same_device(FILE *one, FILE *other)
{
    struct stat a, b;
    return isatty(fileno(one)) == 1 && isatty(fileno(other)) == 1 && fstat(fileno(one), &a) == 0
           && fstat(fileno(other), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
