/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/special.h - tokens that begin or end a turn in the templates of the models that are about.
 * Servers ought to encode them as plain text, and to stop at the last one; many do not.
 *
 * X(token, whether a reply may end with it): the end of a turn, or what comes right behind one. All
 * of those begin with the same byte, which keeps ordinary text cheap.
 */
#ifndef HAFT_FORMAT_SPECIAL_H
#define HAFT_FORMAT_SPECIAL_H

/* clang-format off */
#define HAFT__SPECIAL(X) \
    X("<|im_start|>", false) \
    X("<|im_end|>", true) \
    X("<|endoftext|>", true) \
    X("<|begin_of_text|>", false) \
    X("<|end_of_text|>", true) \
    X("<|start_header_id|>", false) \
    X("<|end_header_id|>", false) \
    X("<|eot_id|>", true) \
    X("<|eom_id|>", true) \
    X("<|eot|>", true) \
    X("<|eom|>", true) \
    X("<|header_start|>", false) \
    X("<|header_end|>", false) \
    X("<|python_tag|>", false) \
    X("<|start|>", false) \
    X("<|end|>", true) \
    X("<|message|>", false) \
    X("<|channel|>", false) \
    X("<|constrain|>", false) \
    X("<|call|>", true) \
    X("<|return|>", true) \
    X("<|system|>", false) \
    X("<|user|>", true) \
    X("<|assistant|>", false) \
    X("<|observation|>", true) \
    X("<|tool|>", false) \
    X("<|im_user|>", false) \
    X("<|im_assistant|>", false) \
    X("<|im_system|>", false) \
    X("<|im_middle|>", false) \
    X("<|START_OF_TURN_TOKEN|>", false) \
    X("<|END_OF_TURN_TOKEN|>", true) \
    X("<|USER_TOKEN|>", false) \
    X("<|CHATBOT_TOKEN|>", false) \
    X("<|SYSTEM_TOKEN|>", false) \
    X("<|start_of_role|>", false) \
    X("<|end_of_role|>", false) \
    X("<start_of_turn>", false) \
    X("<end_of_turn>", true) \
    X("<|end_of_turn|>", true) \
    X("<s>", false) \
    X("</s>", true) \
    X("[INST]", false) \
    X("[/INST]", false) \
    X("[SYSTEM_PROMPT]", false) \
    X("[/SYSTEM_PROMPT]", false) \
    X("[AVAILABLE_TOOLS]", false) \
    X("[/AVAILABLE_TOOLS]", false) \
    X("[TOOL_CALLS]", false) \
    X("[TOOL_RESULTS]", false) \
    X("[/TOOL_RESULTS]", false) \
    X("<｜User｜>", false) \
    X("<｜Assistant｜>", false) \
    X("<｜begin▁of▁sentence｜>", false) \
    X("<｜end▁of▁sentence｜>", true)
/* clang-format on */

#endif
