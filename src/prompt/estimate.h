/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/estimate.h - estimates the number of tokens of a text, without a tokenizer.
 *
 * The rules count words, numbers and punctuation like the tokenizers of common models. A factor in
 * thousandths, for one run and model, corrects the estimate by the usage that the provider reports.
 */
#ifndef HAFT_PROMPT_ESTIMATE_H
#define HAFT_PROMPT_ESTIMATE_H

#include "prompt/message.h"

/* The factor before a provider has reported usage. */
#define HAFT__ESTIMATE_FACTOR 1000

/* Additional tokens of a request: marks around a message, around a call, and around the definition
 * of a tool. */
#define HAFT__ESTIMATE_MESSAGE    4
#define HAFT__ESTIMATE_CALL       8
#define HAFT__ESTIMATE_DEFINITION 12

/* The functions below return estimates before the factor. */
uint64_t haft__estimate_text(haft_str text);

/* Estimates a message with its calls, or returns its size if it was measured before. Items of the
 * provider are encrypted or signed, so only their size is used. */
uint64_t haft__estimate_message(const haft__message *message);

/* Applies the factor to an estimate, rounded up. */
uint64_t haft__estimate_apply(uint64_t raw, uint32_t factor);

/* Computes the factor for which the estimate `raw` is the reported number, limited to 0.5 to 4. The
 * lower limit is for providers that do not count cached tokens. */
uint32_t haft__estimate_calibrate(uint64_t raw, uint64_t reported);

#endif
