/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_short.c - the answer to a question about files: the best places first, each as path:line
 * with its line, then what else was found, and how much there is. Short enough to be read.
 *
 * Tests: tests/model/offline_short_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/offline_int.h"

/* Lines that are chosen, best first. */
typedef struct choice {
    const haft__offline_line *lines[HAFT__LIMIT_OFFLINE_REFERENCES + HAFT__LIMIT_OFFLINE_ALSO];
    size_t count;
} choice;

static bool is_chosen(const choice *c, const haft__offline_line *line)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->lines[i] == line) {
            return true;
        }
    }
    return false;
}

/* One line of each of the best files; then what is left of the best lines of these files. */
static void choose(choice *c, const haft__offline *o)
{
    const haft__offline_found *found = &o->found;
    for (size_t i = 0; i < found->file_count && c->count < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(found, found->ranked[i]);
        if (line != NULL) {
            c->lines[c->count++] = line;
        }
    }
    size_t files = c->count;
    while (c->count > 0 && c->count < COUNT(c->lines)) {
        const haft__offline_line *best = NULL;
        for (size_t k = 0; k < files; k++) {
            const haft__offline_file *file = &found->files[c->lines[k]->file];
            for (size_t i = file->first; i < file->first + file->count; i++) {
                const haft__offline_line *line = &found->lines[i];
                bool better = line->score > (best != NULL ? best->score : 0);
                best = better && !is_chosen(c, line) ? line : best;
            }
        }
        if (best == NULL) {
            return;
        }
        c->lines[c->count++] = best;
    }
}

static void write_line(haft__buf *buf, const haft__offline *o, const haft__offline_line *line)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(": "));
    haft__offline_add_code(buf, line->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_add_char(buf, '\n');
}

void haft__offline_write_short(haft__buf *buf, const haft__offline *o)
{
    choice c = {.count = 0};
    choose(&c, o);
    for (size_t i = 0; i < c.count; i++) {
        if (i == HAFT__LIMIT_OFFLINE_REFERENCES) {
            haft__buf_add_str(buf, HAFT__LIT("\nAlso:\n\n"));
        }
        write_line(buf, o, c.lines[i]);
    }
}
