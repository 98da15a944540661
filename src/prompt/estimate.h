/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/estimate.h - estimates how many tokens a text has, without a tokenizer.
 *
 * The rules count words, numbers and punctuation as the tokenizers of common models do. The usage
 * that a provider reports corrects them: a factor in thousandths, for one run and model.
 */
#ifndef HAFT_PROMPT_ESTIMATE_H
#define HAFT_PROMPT_ESTIMATE_H

#include "prompt/message.h"

/* The factor before a provider has reported usage. */
#define HAFT__ESTIMATE_FACTOR 1000

/* Tokens that a request has beside texts: marks around a message, around a call, and around the
 * definition of a tool. */
#define HAFT__ESTIMATE_MESSAGE    4
#define HAFT__ESTIMATE_CALL       8
#define HAFT__ESTIMATE_DEFINITION 12

/* The functions below return estimates before the factor. */
uint64_t haft__estimate_text(haft_str text);

/* A message with its calls. Items of the provider are encrypted or signed: only their size counts.
 */
uint64_t haft__estimate_message(const haft__message *message);

/* Tokens after the factor, rounded up. */
uint64_t haft__estimate_apply(uint64_t raw, uint32_t factor);

/* The factor that makes `raw` the reported number: from half to four times. A provider that does
 * not count cached tokens cannot make it smaller. */
uint32_t haft__estimate_calibrate(uint64_t raw, uint64_t reported);

#endif
