/* SPDX-License-Identifier: Apache-2.0 */
/* format/special_tokens.h - tokens that begin or end a turn in the templates of known models.
 * Servers should encode them as plain text and stop at the last one; many do not. */
#ifndef HAFT_FORMAT_SPECIAL_TOKENS_H
#define HAFT_FORMAT_SPECIAL_TOKENS_H

/* clang-format off */
/* Tokens that a reply may end with: the end of a turn, or a token that directly follows it. All
 * begin with the same byte, so that ordinary text is cheap to scan. */
#define HAFT__STOP_TOKENS(X) \
    X("<|im_end|>") \
    X("<|endoftext|>") \
    X("<|end_of_text|>") \
    X("<|eot_id|>") \
    X("<|eom_id|>") \
    X("<|eot|>") \
    X("<|eom|>") \
    X("<|end|>") \
    X("<|call|>") \
    X("<|return|>") \
    X("<|user|>") \
    X("<|observation|>") \
    X("<|END_OF_TURN_TOKEN|>") \
    X("<end_of_turn>") \
    X("<|end_of_turn|>") \
    X("</s>") \
    X("<｜end▁of▁sentence｜>")

#define HAFT__SPECIAL_TOKENS(X) \
    HAFT__STOP_TOKENS(X) \
    X("<|im_start|>") \
    X("<|begin_of_text|>") \
    X("<|start_header_id|>") \
    X("<|end_header_id|>") \
    X("<|header_start|>") \
    X("<|header_end|>") \
    X("<|python_tag|>") \
    X("<|start|>") \
    X("<|message|>") \
    X("<|channel|>") \
    X("<|constrain|>") \
    X("<|system|>") \
    X("<|assistant|>") \
    X("<|tool|>") \
    X("<|im_user|>") \
    X("<|im_assistant|>") \
    X("<|im_system|>") \
    X("<|im_middle|>") \
    X("<|START_OF_TURN_TOKEN|>") \
    X("<|USER_TOKEN|>") \
    X("<|CHATBOT_TOKEN|>") \
    X("<|SYSTEM_TOKEN|>") \
    X("<|start_of_role|>") \
    X("<|end_of_role|>") \
    X("<start_of_turn>") \
    X("<s>") \
    X("[INST]") \
    X("[/INST]") \
    X("[SYSTEM_PROMPT]") \
    X("[/SYSTEM_PROMPT]") \
    X("[AVAILABLE_TOOLS]") \
    X("[/AVAILABLE_TOOLS]") \
    X("[TOOL_CALLS]") \
    X("[TOOL_RESULTS]") \
    X("[/TOOL_RESULTS]") \
    X("<｜User｜>") \
    X("<｜Assistant｜>") \
    X("<｜begin▁of▁sentence｜>")
/* clang-format on */

#endif
