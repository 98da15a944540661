/* SPDX-License-Identifier: Apache-2.0 */
/* exec/skill/visit.h - finds the skills of a directory. */
#ifndef HAFT_EXEC_SKILL_VISIT_H
#define HAFT_EXEC_SKILL_VISIT_H

#include "spec/load/load.h"

/* Implements haft__spec_options.visit_skills: calls `visit` for the directory itself, if it has a
 * SKILL.md, or else for each directory in it that has one, in the order of their names. */
HAFT_MUST_USE haft_status haft__skill_visit_all(haft_str spec, haft_str directory,
                                                haft__skill_visit *visit, void *context,
                                                haft_error *err);

#endif
