/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/options.c. */
#include "base/options.h"
#include "test.h"

typedef struct old_options {
    size_t struct_size;
    int first;
} old_options;

typedef struct options {
    size_t struct_size;
    int first, second;
} options;

typedef struct new_options {
    size_t struct_size;
    int first, second;
    long third;
} new_options;

#define MIN_SIZE sizeof(old_options)

TEST(fields_of_an_older_program_keep_their_defaults)
{
    old_options given = {sizeof(given), 7};
    options own = {sizeof(own), 1, 2};
    CHECK_INT(haft__options_copy(&own, sizeof(own), offsetof(options, second), &given, "X", NULL),
              HAFT_OK, "status");
    CHECK(own.first == 7 && own.struct_size == sizeof(own), "first is %d", own.first);
}

TEST(fields_of_a_newer_program_are_ignored)
{
    new_options given = {sizeof(given), 7, 8, 9};
    options own = {sizeof(own), 1, 2};
    CHECK_INT(haft__options_copy(&own, sizeof(own), sizeof(size_t), &given, "X", NULL), HAFT_OK,
              "status");
    CHECK(own.first == 7 && own.second == 8 && own.struct_size == sizeof(own),
          "the fields that both know are copied");
}

TEST(a_struct_without_its_size_is_refused)
{
    options given = {0, 7, 8}, own = {sizeof(own), 1, 2};
    haft_error err = {0};
    for (size_t size = 0; size < MIN_SIZE; size++) {
        given.struct_size = size;
        CHECK_INT(haft__options_copy(&own, sizeof(own), MIN_SIZE, &given, "THE_INIT", &err),
                  HAFT_BAD_INPUT, "struct_size %zu", size);
    }
    CHECK_STR(haft__str(err.where), HAFT__LIT("/struct_size"), "where");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("start from THE_INIT"), "hint");
    CHECK(own.first == 1 && own.second == 2, "the options were changed");
    given.struct_size = MIN_SIZE;
    CHECK_INT(haft__options_copy(&own, sizeof(own), MIN_SIZE, &given, "X", &err), HAFT_OK,
              "the smallest struct_size");
}
