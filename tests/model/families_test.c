/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/families.c, family_rows.c and family_size.c. */
#include "model/families.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "format/format.h"
#include "test.h"

/* Model names as servers report them, the row that each should find, and its size in billions;
 * "" if there is none. */
static const struct {
    const char *name, *row, *size;
} names[] = {
    {"gpt-5.4-mini", "GPT-5", ""},
    {"gpt-5", "GPT-5", ""},
    {"gpt-5-nano-2025-08-07", "GPT-5", ""},
    {"gpt-4.1-mini", "GPT-4.1", ""},
    {"gpt-4.1-2025-04-14", "GPT-4.1", ""},
    {"gpt-4o", "GPT-4o", ""},
    {"openai/gpt-4o-mini", "GPT-4o", ""},
    {"chatgpt-4o-latest", "GPT-4o", ""},
    {"gpt-4-turbo-preview", "GPT-4o", ""},
    {"gpt-4", "GPT-4", ""},
    {"gpt-4-0613", "GPT-4", ""},
    {"gpt-3.5-turbo", "GPT-3.5", ""},
    {"gpt-35-turbo", "GPT-3.5", ""},
    {"o1", "OpenAI o-series", ""},
    {"o3-mini", "OpenAI o-series", ""},
    {"gpt-7", "GPT-5", ""},
    {"gpt-10-mini", "GPT-5", ""},
    {"ft:gpt-5-mini:org", "GPT-5", ""},
    {"ft:gpt-4o-mini-2024-07-18:my-org::abc", "GPT-4o", ""},
    {"gpt-35-turbo", "GPT-3.5", ""},
    {"gpt-2", "", ""},
    {"gpt-20b", "", "20"},
    {"gpt-2024", "", ""},
    {"o5-mini", "OpenAI o-series", ""},
    {"o200k", "", ""},
    {"mistral-small-latest", "Mistral Small (hosted)", ""},
    {"qwen3-max", "Qwen 3 Max", ""},
    {"openai/o4-mini", "OpenAI o-series", ""},
    {"codex-mini-latest", "OpenAI o-series", ""},
    {"AIDC-AI/Marco-o1", "", ""},
    {"claude-3-5-sonnet-20241022", "Claude", ""},
    {"claude-opus-4-1", "Claude", ""},
    {"us.anthropic.claude-3-7-sonnet-20250219-v1:0", "Claude", ""},
    {"gemini-2.5-pro", "Gemini", ""},
    {"google/gemini-2.0-flash-001", "Gemini", ""},
    {"grok-3-mini", "Grok", ""},
    {"openai/gpt-oss-20b", "gpt-oss", "20"},
    {"gpt-oss:120b", "gpt-oss", "120"},
    {"gpt-oss-20b-mxfp4.gguf", "gpt-oss", "20"},
    {"NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO", "Hermes 2", "56"},
    {"teknium/OpenHermes-2.5-Mistral-7B", "Hermes 2", "7"},
    {"openhermes:7b-mistral-v2.5-q4_0", "Hermes 2", "7"},
    {"nous-hermes2:10.7b", "Hermes 2", "10.7"},
    {"NousResearch/Hermes-2-Pro-Mistral-7B", "Hermes 2 Pro", "7"},
    {"NousResearch/Hermes-2-Pro-Llama-3-8B-GGUF", "Hermes 2 Pro", "8"},
    {"NousResearch/Hermes-2-Theta-Llama-3-70B", "Hermes 2 Pro", "70"},
    {"NousResearch/Hermes-3-Llama-3.1-8B", "Hermes 3", "8"},
    {"hermes3:3b", "Hermes 3", "3"},
    {"Hermes-3-Llama-3.2-3B.Q4_K_M.gguf", "Hermes 3", "3"},
    {"NousResearch/Hermes-3-Llama-3.1-70B-FP8", "Hermes 3", "70"},
    {"NousResearch/Hermes-4-14B", "Hermes 4", "14"},
    {"NousResearch/DeepHermes-3-Llama-3-8B-Preview", "Hermes 4", "8"},
    {"Qwen/Qwen1.5-7B-Chat", "Qwen 1.5", "7"},
    {"Qwen/CodeQwen1.5-7B-Chat", "Qwen 1.5", "7"},
    {"Qwen/Qwen2-7B-Instruct", "Qwen 2", "7"},
    {"qwen2:0.5b", "Qwen 2", "0.5"},
    {"Qwen/Qwen2-57B-A14B-Instruct", "Qwen 2", "57"},
    {"qwen2.5:7b-instruct", "Qwen 2.5", "7"},
    {"Qwen/Qwen2.5-7B-Instruct", "Qwen 2.5", "7"},
    {"Qwen2.5-0.5B-Instruct-Q4_K_M.gguf", "Qwen 2.5", "0.5"},
    {"qwen2.5-coder:32b", "Qwen 2.5", "32"},
    {"qwen2_5-coder-1.5b-instruct-q8_0", "Qwen 2.5", "1.5"},
    {"accounts/fireworks/models/qwen2p5-72b-instruct", "Qwen 2.5", "72"},
    {"/models/Qwen2.5-14B-Instruct/ggml-model-q4_0.gguf", "Qwen 2.5", "14"},
    {"C:\\models\\qwen2.5-3b-instruct-q5_k_m.gguf", "Qwen 2.5", "3"},
    {"Qwen/Qwen2.5-14B-Instruct-1M", "Qwen 2.5 1M", "14"},
    {"Qwen/QwQ-32B", "QwQ", "32"},
    {"qwq", "QwQ", "32"},
    {"qwq:32b-q4_K_M", "QwQ", "32"},
    {"Qwen/QwQ-32B-Preview", "QwQ Preview", "32"},
    {"qwen3:8b", "Qwen 3", "8"},
    {"qwen3", "Qwen 3", ""},
    {"Qwen/Qwen3-0.6B", "Qwen 3", "0.6"},
    {"Qwen/Qwen3-30B-A3B", "Qwen 3", "30"},
    {"hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "Qwen 3", "8"},
    {"unsloth/Qwen3-235B-A22B-GGUF", "Qwen 3", "235"},
    {"Qwen3-14B-Claude-4.5-Opus-Distill", "Qwen 3", "14"},
    {"Qwen/Qwen3-4B-Instruct-2507", "Qwen 3 2507", "4"},
    {"qwen3:30b-a3b-instruct-2507-q4_K_M", "Qwen 3 2507", "30"},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen 3 2507", "80"},
    {"Qwen/Qwen3-VL-8B-Instruct", "Qwen 3 2507", "8"},
    {"Qwen/Qwen3-235B-A22B-Thinking-2507", "Qwen 3 Thinking", "235"},
    {"qwen3:4b-thinking", "Qwen 3 Thinking", "4"},
    {"Qwen/Qwen3-Next-80B-A3B-Thinking", "Qwen 3 Thinking", "80"},
    {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen 3 Coder", "30"},
    {"qwen3-coder:480b", "Qwen 3 Coder", "480"},
    {"Qwen/Qwen3.5-27B", "Qwen 3.5", "27"},
    {"qwen3.5:4b", "Qwen 3.5", "4"},
    {"meta-llama/Llama-2-7b-chat-hf", "Llama 2", "7"},
    {"codellama:13b", "Llama 2", "13"},
    {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "Llama 2", "1.1"},
    {"llama3", "Llama 3", ""},
    {"llama3:8b", "Llama 3", "8"},
    {"meta-llama/Meta-Llama-3-70B-Instruct", "Llama 3", "70"},
    {"llama3.1:8b", "Llama 3.1", "8"},
    {"meta-llama/Llama-3.1-405B-Instruct-FP8", "Llama 3.1", "405"},
    {"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "Llama 3.1", "8"},
    {"us.meta.llama3-1-70b-instruct-v1:0", "Llama 3.1", "70"},
    {"accounts/fireworks/models/llama-v3p1-70b-instruct", "Llama 3.1", "70"},
    {"meta-llama/llama-3.3-70b-instruct:free", "Llama 3.1", "70"},
    {"llama3.3", "Llama 3.1", ""},
    {"llama3.2:1b", "Llama 3.2", "1"},
    {"hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "Llama 3.2", "3"},
    {"mlx-community/Llama-3.2-3B-Instruct-4bit", "Llama 3.2", "3"},
    {"meta-llama/Llama-3.2-11B-Vision-Instruct", "Llama 3.2", "11"},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "Llama 4 Scout", "109"},
    {"llama4:scout", "Llama 4 Scout", "109"},
    {"meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "Llama 4 Maverick", "400"},
    {"llama3-groq-tool-use:8b", "Llama 3 Groq Tool Use", "8"},
    {"Groq/Llama-3-Groq-8B-Tool-Use", "Llama 3 Groq Tool Use", "8"},
    {"Team-ACE/ToolACE-8B", "ToolACE", "8"},
    {"Team-ACE/ToolACE-2-Llama-3.1-8B", "ToolACE", "8"},
    {"mistral", "Mistral 7B", ""},
    {"mistral:7b", "Mistral 7B", "7"},
    {"mistralai/Mistral-7B-Instruct-v0.3", "Mistral 7B", "7"},
    {"TheBloke/mistral-7b-instruct-v0.2.Q4_K_M.gguf", "Mistral 7B v0.1", "7"},
    {"mistral.mistral-7b-instruct-v0:2", "Mistral 7B v0.1", "7"},
    {"HuggingFaceH4/zephyr-7b-beta", "Mistral 7B v0.1", "7"},
    {"mixtral:8x7b", "Mixtral 8x7B", "56"},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1", "Mixtral 8x7B", "56"},
    {"mixtral:8x22b-instruct", "Mixtral 8x22B", "176"},
    {"mistralai/Mistral-Nemo-Instruct-2407", "Mistral Nemo", "12"},
    {"mistral-nemo:12b", "Mistral Nemo", "12"},
    {"mistralai/Mistral-Small-24B-Instruct-2501", "Mistral Small", "24"},
    {"mistral-small:22b", "Mistral Small", "22"},
    {"mistral-small3.1", "Mistral Small 3.1", "24"},
    {"mistralai/Mistral-Small-3.2-24B-Instruct-2506", "Mistral Small 3.1", "24"},
    {"mistral-large-latest", "Mistral Large", ""},
    {"mistral-large:123b", "Mistral Large", "123"},
    {"mistral-medium-2505", "Mistral Large", ""},
    {"devstral-medium-2507", "Mistral Large", ""},
    {"magistral-medium-2509", "Magistral Medium", ""},
    {"mistralai/Mistral-Large-3-675B-Instruct-2512", "Mistral Large 3", "675"},
    {"mistralai/Ministral-8B-Instruct-2410", "Ministral", "8"},
    {"ministral-3b-latest", "Ministral", "3"},
    {"mistralai/Ministral-3-14B-Instruct-2512", "Ministral 3", "14"},
    {"mistralai/Pixtral-12B-2409", "Pixtral", "12"},
    {"codestral:22b", "Codestral", "22"},
    {"mistralai/Devstral-Small-2507", "Devstral", "24"},
    {"devstral", "Devstral", "24"},
    {"mistralai/Devstral-2-123B-Instruct-2512", "Devstral 2", "123"},
    {"mistralai/Magistral-Small-2509", "Magistral", "24"},
    {"magistral:24b", "Magistral", "24"},
    {"deepseek-coder:6.7b", "DeepSeek Coder", "6.7"},
    {"deepseek-coder-v2:16b", "DeepSeek V2", "16"},
    {"deepseek-ai/DeepSeek-V2.5", "DeepSeek V2", ""},
    {"deepseek-ai/DeepSeek-V3", "DeepSeek V3", "671"},
    {"deepseek-ai/DeepSeek-V3-0324", "DeepSeek V3", "671"},
    {"deepseek-v3:671b-q4_K_M", "DeepSeek V3", "671"},
    {"deepseek-ai/DeepSeek-V3.1-Terminus", "DeepSeek V3.1", "671"},
    {"deepseek-v3.1:671b-cloud", "DeepSeek V3.1", "671"},
    {"deepseek-ai/DeepSeek-V3.2-Exp", "DeepSeek V3.1", "671"},
    {"deepseek-ai/DeepSeek-V3.2", "DeepSeek V3.2", "671"},
    {"deepseek-chat", "DeepSeek V3.2", "671"},
    {"deepseek-ai/DeepSeek-V4", "DeepSeek V4", ""},
    {"deepseek-ai/DeepSeek-R1", "DeepSeek R1", ""},
    {"deepseek-r1", "DeepSeek R1", ""},
    {"deepseek-r1:671b", "DeepSeek R1", "671"},
    {"deepseek-r1:7b", "DeepSeek R1 Distill", "7"},
    {"deepseek-r1:8b", "DeepSeek R1 Distill", "8"},
    {"deepseek-r1:1.5b", "DeepSeek R1 Distill", "1.5"},
    {"deepseek-r1:70b-q4_K_M", "DeepSeek R1 Distill", "70"},
    {"deepseek/deepseek-r1-0528:free", "DeepSeek R1 0528", "671"},
    {"deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "DeepSeek R1 Distill", "8"},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "DeepSeek R1 Distill", "1.5"},
    {"deepseek-r1-distill-llama-70b", "DeepSeek R1 Distill", "70"},
    {"deepseek-r1:8b-llama-distill-q4_K_M", "DeepSeek R1 Distill", "8"},
    {"THUDM/glm-4-9b-chat", "GLM 4", "9"},
    {"zai-org/GLM-4-32B-0414", "GLM 4", "32"},
    {"THUDM/GLM-Z1-9B-0414", "GLM Z1", "9"},
    {"zai-org/GLM-4.5", "GLM 4.5", "355"},
    {"zai-org/GLM-4.5-Air-FP8", "GLM 4.5 Air", "106"},
    {"glm-4.6:cloud", "GLM 4.6", "355"},
    {"zai-org/GLM-4.7-Flash", "GLM 4.7 Flash", ""},
    {"zai-org/GLM-4.7", "GLM 4.6", "355"},
    {"moonshotai/Kimi-K2-Instruct", "Kimi K2", "1000"},
    {"moonshotai/Kimi-K2-Instruct-0905", "Kimi K2 0905", "1000"},
    {"kimi-k2:1t-cloud", "Kimi K2", "1000"},
    {"moonshotai/Kimi-K2-Thinking", "Kimi K2 Thinking", "1000"},
    {"ibm-granite/granite-3.1-8b-instruct", "Granite 3", "8"},
    {"granite3.3:2b", "Granite 3", "2"},
    {"granite3.1-moe:3b", "Granite 3", "3"},
    {"ibm-granite/granite-3.1-3b-a800m-instruct", "Granite 3", "3"},
    {"ibm-granite/granite-3.0-8b-instruct", "Granite 3.0", "8"},
    {"granite4:350m", "Granite 4", "0.35"},
    {"ibm-granite/granite-4.0-micro", "Granite 4", ""},
    {"ibm-granite/granite-4.0-h-small", "Granite 4 Small", "32"},
    {"granite4:tiny-h", "Granite 4 Tiny", "7"},
    {"CohereForAI/c4ai-command-r-v01", "Command R", "35"},
    {"command-r:35b", "Command R", "35"},
    {"command-r-08-2024", "Command R", "35"},
    {"CohereForAI/c4ai-command-r-plus-08-2024", "Command R+", "104"},
    {"cohere/command-r+", "Command R+", "104"},
    {"command-r7b", "Command R7B", "7"},
    {"CohereLabs/c4ai-command-r7b-12-2024", "Command R7B", "7"},
    {"CohereLabs/c4ai-command-a-03-2025", "Command A", "111"},
    {"command-a:111b", "Command A", "111"},
    {"CohereLabs/command-a-reasoning-08-2025", "Command A Reasoning", "111"},
    {"aya-expanse:8b", "Aya Expanse", "8"},
    {"meetkai/functionary-small-v3.1", "Functionary 3.1", ""},
    {"meetkai/functionary-medium-v3.2-GGUF", "Functionary 3.2", ""},
    {"fireworks-ai/llama-3-firefunction-v2", "Firefunction 2", "70"},
    {"firefunction-v2:70b", "Firefunction 2", "70"},
    {"Salesforce/Llama-xLAM-2-8b-fc-r", "xLAM", "8"},
    {"Salesforce/xLAM-1b-fc-r", "xLAM", "1"},
    {"phi3:3.8b", "Phi 3", "3.8"},
    {"microsoft/Phi-3-mini-4k-instruct", "Phi 3 4k", ""},
    {"Phi-3-mini-4k-instruct-q4.gguf", "Phi 3 4k", ""},
    {"microsoft/Phi-3-medium-128k-instruct", "Phi 3 128k", ""},
    {"phi3.5", "Phi 3 128k", ""},
    {"phi4", "Phi 4", "14"},
    {"microsoft/phi-4", "Phi 4", "14"},
    {"phi4-mini:3.8b", "Phi 4 Mini", "3.8"},
    {"microsoft/Phi-4-mini-instruct", "Phi 4 Mini", "3.8"},
    {"microsoft/Phi-4-reasoning-plus", "Phi 4 Reasoning", "14"},
    {"gemma:2b", "Gemma", "2"},
    {"google/gemma-2-9b-it", "Gemma", "9"},
    {"gemma2:27b", "Gemma", "27"},
    {"gemma3:4b", "Gemma 3", "4"},
    {"google/gemma-3-27b-it-qat-q4_0-gguf", "Gemma 3", "27"},
    {"gemma3:1b", "Gemma 3 1B", "1"},
    {"gemma3:270m", "Gemma 3 1B", "0.27"},
    {"google/gemma-3n-E4B-it", "Gemma 3n", "4"},
    {"gemma3n:e2b", "Gemma 3n", "2"},
    {"google/gemma-4-31B-it", "Gemma 4", "31"},
    {"google/functiongemma-270m-it", "FunctionGemma", "0.27"},
    {"HuggingFaceTB/SmolLM2-135M-Instruct", "SmolLM 2", "0.135"},
    {"smollm2:1.7b", "SmolLM 2", "1.7"},
    {"HuggingFaceTB/SmolLM3-3B", "SmolLM 3", "3"},
    {"nvidia/Llama-3.1-Nemotron-70B-Instruct-HF", "Nemotron", "70"},
    {"nemotron:70b", "Nemotron", "70"},
    {"nemotron-mini", "Nemotron Mini", "4"},
    {"nvidia/Nemotron-4-340B-Instruct", "Nemotron Mini", "340"},
    {"nvidia/Llama-3_3-Nemotron-Super-49B-v1_5", "Nemotron Super", "49"},
    {"nvidia/Llama-3_1-Nemotron-Ultra-253B-v1", "Nemotron Super", "253"},
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", "Nemotron Nano 2", "9"},
    {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Nemotron 3", "30"},
    {"allenai/OLMo-2-1124-13B-Instruct", "OLMo 2", "13"},
    {"olmo2:7b", "OLMo 2", "7"},
    {"allenai/Olmo-3-7B-Instruct", "OLMo 3", "7"},
    {"allenai/Olmo-3-32B-Think", "OLMo 3 Think", "32"},
    {"falcon:40b", "Falcon", "40"},
    {"tiiuae/Falcon3-10B-Instruct", "Falcon 3", "10"},
    {"internlm/internlm3-8b-instruct", "InternLM", "8"},
    {"internlm/internlm2_5-7b-chat", "InternLM 2.5", "7"},
    {"01-ai/Yi-1.5-34B-Chat", "Yi", "34"},
    {"yi:6b", "Yi", "6"},
    {"01-ai/Yi-Coder-9B-Chat", "Yi Coder", "9"},
    {"01-ai/Yi-34B-200K", "Yi 200K", "34"},
    {"MiniMaxAI/MiniMax-M1-80k", "MiniMax M1", "456"},
    {"MiniMaxAI/MiniMax-M2", "MiniMax M2", "230"},
    {"minimax-m2:cloud", "MiniMax M2", "230"},
    {"tencent/Hunyuan-7B-Instruct", "Hunyuan", "7"},
    {"tencent/Hunyuan-A13B-Instruct", "Hunyuan A13B", "80"},
    {"LiquidAI/LFM2-1.2B", "LFM2", "1.2"},
    {"LiquidAI/LFM2.5-8B-A1B-GGUF", "LFM2", "8"},
    {"ai21labs/AI21-Jamba-1.5-Mini", "Jamba", ""},
    {"LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct", "EXAONE", "2.4"},
    {"LGAI-EXAONE/EXAONE-4.0-32B", "EXAONE 4", "32"},
    {"deepcogito/cogito-v1-preview-llama-8B", "Cogito", "8"},
    {"cogito:14b", "Cogito", "14"},
    {"baidu/ERNIE-4.5-21B-A3B-PT", "ERNIE 4.5", "21"},
    {"starcoder2:15b", "StarCoder 2", "15"},
    {"openlm-research/open_llama_3b", "", "3"},
    {"my-own-model", "", ""},
    {"Llama", "", ""},
    {"llama", "", ""},
    {"phind-codellama", "Llama 2", ""},
    {"yippee-7b", "", "7"},
    {"model.gguf", "", ""},
    {"m", "", ""},
};

static haft_str row_of(haft_str name)
{
    const char *pattern;
    const haft__family *row = haft__family_match_name(name, &pattern);
    CHECK((row == NULL) == (pattern == NULL),
          "a row without its pattern, or a pattern without a row");
    return haft__str(row != NULL ? row->name : "");
}

/* The size of the name, else of the row. */
static haft_str size_of(haft_str name, haft__buf *buf)
{
    const char *pattern;
    const haft__family *row = haft__family_match_name(name, &pattern);
    uint64_t size = haft__family_size_of_name(name);
    size = size == 0 && row != NULL ? row->size : size;
    haft__buf_clear(buf);
    if (size > 0) {
        haft__family_add_size(buf, size);
    }
    return haft__buf_str(buf);
}

TEST(names_find_their_row_and_size)
{
    haft__buf buf;
    haft__buf_init(&buf, 100);
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str name = haft__str(names[i].name);
        CHECK_STR(row_of(name), haft__str(names[i].row), "row of %s", names[i].name);
        CHECK_STR(size_of(name, &buf), haft__str(names[i].size), "size of %s", names[i].name);
    }
    haft__buf_finish(&buf);
}

TEST(upper_and_lower_case_are_the_same)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        char upper[128];
        size_t length = strlen(names[i].name);
        for (size_t k = 0; k < length; k++) {
            char c = names[i].name[k];
            upper[k] = c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
        }
        CHECK_STR(row_of((haft_str){upper, length}), haft__str(names[i].row), "%s", names[i].name);
    }
}

static bool is_reached(const haft__family *row)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(names[i].row, row->name) == 0) {
            return true;
        }
    }
    return false;
}

TEST(every_row_is_found_and_makes_sense)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__family *row = &rows[i];
        CHECK(row->patterns[0] == NULL || is_reached(row), "no name above finds %s", row->name);
        CHECK(row->patterns[0] != NULL || row->marks[0] != NULL, "%s is never found", row->name);
        CHECK(haft__format_find(haft__str(row->format)) != NULL, "the format of %s does not exist",
              row->name);
        CHECK((row->reasoning_open == NULL) == (row->reasoning_close == NULL),
              "%s has only one of its two reasoning tags", row->name);
        CHECK(!row->starts_in_reasoning || row->reasoning_open != NULL,
              "%s starts in reasoning without a reasoning tag", row->name);
        CHECK(haft__family_find(haft__str(row->name)) == row, "%s is not found by its own name",
              row->name);
    }
    CHECK(haft__family_find(HAFT__LIT("qwen 2.5")) != NULL, "names are found in any case");
    CHECK(haft__family_find(HAFT__LIT("Qwen")) == NULL, "a part of a name finds nothing");
}

/* No pattern is hidden by another row that has the same one. */
TEST(every_pattern_is_there_once)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    for (size_t i = 0; i < count * HAFT__FAMILY_PATTERNS; i++) {
        const char *one = rows[i / HAFT__FAMILY_PATTERNS].patterns[i % HAFT__FAMILY_PATTERNS];
        for (size_t k = 0; one != NULL && k < i; k++) {
            const char *other = rows[k / HAFT__FAMILY_PATTERNS].patterns[k % HAFT__FAMILY_PATTERNS];
            CHECK(other == NULL || strcmp(one, other) != 0, "the pattern %s is there twice", one);
        }
    }
}

TEST(hostile_names_find_nothing)
{
    static const haft_str hostile[] = {
        {NULL, 0},           {"", 0},        {"/", 1},      {"//\\\\", 4},   {"-", 1},
        {"\0\0\0", 3},       {"\x1b[0m", 4}, {"***", 3},    {"\xff\xfe", 2}, {"qwe\0n3", 6},
        {"\xe2\x80\x8b", 3}, {"^gpt-5", 6},  {"qwenn3", 6}, {"xqwen3", 6},   {"gpt4o-like", 10},
    };
    static const haft_str rows[COUNT(hostile)] = {[11] = {"", 0}, [14] = {"GPT-4o", 6}};
    for (size_t i = 0; i < COUNT(hostile); i++) {
        haft_str wanted = rows[i].ptr != NULL ? rows[i] : HAFT__LIT("");
        CHECK_STR(row_of(hostile[i]), wanted, "case %zu", i);
        CHECK(haft__family_size_of_name(hostile[i]) == 0, "case %zu", i);
    }
}

/* Long names are read up to the limit. */
TEST(a_name_has_a_limit)
{
    size_t max = HAFT__LIMIT_MODEL_NAME_BYTES;
    char *name = test_alloc(max + 1);
    memset(name, '-', max + 1);
    memcpy(name, "qwen3-8b", 8);
    CHECK_STR(row_of((haft_str){name, max}), HAFT__LIT("Qwen 3"), "at the limit");
    CHECK(haft__family_size_of_name((haft_str){name, max}) == 8000, "at the limit");
    CHECK_STR(row_of((haft_str){name, max + 1}), HAFT__LIT(""), "past the limit");
    CHECK(haft__family_size_of_name((haft_str){name, max + 1}) == 0, "past the limit");
    memset(name, '/', max);
    CHECK_STR(row_of((haft_str){name, max}), HAFT__LIT(""), "slashes only");
    memset(name, '9', max);
    CHECK(haft__family_size_of_name((haft_str){name, max}) == 0, "digits only");
}

/* Pieces of chat templates, and the row that each should find. */
static const struct {
    const char *text, *row;
} templates[] = {
    {"", ""},
    {"{{ messages }}", ""},
    {"<|im_start|>{{ role }}<|im_end|>", ""},
    {"within <tool_call></tool_call> XML tags", "Hermes-like"},
    {"You are Qwen, created by Alibaba Cloud. <tools> <tool_call>", "Qwen 2.5"},
    {"{% set ns = namespace(multi_step_tool=true) %} <tool_call> <think>", "Qwen 3"},
    {"<tool_call>\n<function=f>\n<parameter=example_parameter_1>", "Qwen 3 Coder"},
    {"<|start_header_id|>user<|end_header_id|>", "Llama 3"},
    {"<|start_header_id|> Environment: ipython", "Llama 3.1"},
    {"<|start_header_id|> Environment: ipython <function=example_function_name>",
     "Functionary 3.1"},
    {"<|start_header_id|>assistant >>>all", "Functionary 3.2"},
    {"<|header_start|>user<|header_end|>", "Llama 4 Scout"},
    {"[AVAILABLE_TOOLS] [TOOL_CALLS]", "Mistral 7B"},
    {"[TOOL_CALLS]f[ARGS]{}", "Mistral Large 3"},
    {"[TOOL_CALLS]f[ARGS]{} [THINK]", "Magistral"},
    {"<\xef\xbd\x9ctool\xe2\x96\x81"
     "calls\xe2\x96\x81"
     "begin\xef\xbd\x9c>",
     "DeepSeek V3"},
    {"<\xef\xbd\x9ctool\xe2\x96\x81"
     "calls\xe2\x96\x81"
     "begin\xef\xbd\x9c>"
     "<\xef\xbd\x9c"
     "Assistant\xef\xbd\x9c><think>",
     "DeepSeek R1"},
    {"<\xef\xbd\x9ctool\xe2\x96\x81"
     "calls\xe2\x96\x81"
     "begin\xef\xbd\x9c>"
     "{% if message['prefix'] is defined and message['prefix'] and thinking %}",
     "DeepSeek V3.1"},
    {"<\xef\xbd\x9c"
     "DSML\xef\xbd\x9cinvoke",
     "DeepSeek V3.2"},
    {"[gMASK]<sop> enable_thinking <tool_call> <arg_key>", "GLM 4.5"},
    {"<|tool_calls_section_begin|>", "Kimi K2"},
    {"<|start_of_role|> <|tool_call|>", "Granite 3"},
    {"<|start_of_role|> <tool_call>", "Granite 4"},
    {"<|START_OF_TURN_TOKEN|>", "Command R"},
    {"<|START_OF_TURN_TOKEN|> <|START_ACTION|>", "Command R7B"},
    {"<|start|>assistant<|channel|>final", "gpt-oss"},
    {"<start_of_turn>model", "Gemma"},
    {"<start_of_turn>model <start_function_call>", "FunctionGemma"},
    {"<|turn>model <|tool_call>call:", "Gemma 4"},
    {"<|im_start|>user<|im_sep|>", "Phi 4"},
    {"<|system|> <|tool|>", "Phi 4 Mini"},
    {"xml_tools <tool_call>", "SmolLM 3"},
    {"<TOOLCALL>[", "Nemotron Nano 2"},
    {"]~b]ai <minimax:tool_call>", "MiniMax M2"},
    {"<|tool_list_start|>", "LFM2"},
};

TEST(chat_templates_find_their_row)
{
    for (size_t i = 0; i < COUNT(templates); i++) {
        const char *mark;
        const haft__family *row = haft__family_match_template(haft__str(templates[i].text), &mark);
        CHECK_STR(haft__str(row != NULL ? row->name : ""), haft__str(templates[i].row), "%s",
                  templates[i].text);
        CHECK((row == NULL) == (mark == NULL), "a row has the mark that found it");
    }
}

TEST(every_mark_is_found)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    for (size_t i = 0; i < count; i++) {
        bool found = rows[i].marks[0] == NULL;
        for (size_t k = 0; k < COUNT(templates); k++) {
            found = found || strcmp(templates[k].row, rows[i].name) == 0;
        }
        CHECK(found, "no template above finds %s", rows[i].name);
    }
}

/* A template may be huge, and contain every prefix of a mark. */
TEST(huge_templates_are_read_once)
{
    size_t size = 1 << 20;
    char *text = test_alloc(size);
    for (size_t i = 0; i < size; i++) {
        text[i] = "<|tool_"[i % 7];
    }
    const char *mark;
    CHECK(haft__family_match_template((haft_str){text, size}, &mark) == NULL,
          "a text without a mark");
    memcpy(text + size - 19, "<|tool_list_start|>", 19);
    CHECK(haft__family_match_template((haft_str){text, size}, &mark) != NULL,
          "a mark at the end of the text");
    CHECK(haft__family_match_template((haft_str){text, size - 1}, &mark) == NULL,
          "a mark that is cut off");
    CHECK(haft__family_match_template((haft_str){NULL, 0}, &mark) == NULL, "an empty template");
}

TEST(native_calls_depend_on_model_and_server)
{
    static const struct {
        const char *row, *provider, *base_url;
        bool native;
    } cases[] = {
        {"Qwen 2.5", "ollama", "", true},
        {"Gemma 3", "ollama", "", false},
        {"Gemma 3", "vllm", "", false},
        {"Gemma 3", "llamacpp", "", true},
        {"Gemma 3", "openai", "http://127.0.0.1:1/v1", false},
        {"Gemma 3", "openai", "", true},
        {"Gemma 3", "gemini", "", true},
        {"Gemma 3", "mistral", "", true},
        {"DeepSeek V3", "ollama", "", false},
        {"DeepSeek V3", "vllm", "", true},
        {"DeepSeek V3", "deepseek", "https://example.org/", true},
        {"Command R", "vllm", "", false},
        {"Command R", "openai", "http://127.0.0.1:1/v1", true},
        {"SmolLM 2", "ollama", "http://10.0.0.1:11434/v1", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__model_spec model = {.provider = haft__str(cases[i].provider),
                                  .base_url = haft__str(cases[i].base_url)};
        const haft__family *row = haft__family_find(haft__str(cases[i].row));
        CHECK(row != NULL && haft__family_is_native(row, &model) == cases[i].native, "%s at %s",
              cases[i].row, cases[i].provider);
    }
}
