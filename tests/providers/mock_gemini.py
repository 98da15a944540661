# SPDX-License-Identifier: Apache-2.0
"""Google's Gemini API (generateContent)."""
import json
import re
import urllib.parse

from mock import (Refusal, Wire, arguments_of, check_keywords, check_names, halves, refuse_unknown,
                  refuse_unless, seal, sse)

MEMBERS = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig",
           "safetySettings", "cachedContent", "serviceTier", "store", "continuationToken", "labels"}
PART = {"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData",
        "fileData", "toolCall", "toolResponse"}
KEYWORDS = {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum",
            "items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf",
            "properties", "additionalProperties", "required", "propertyOrdering"}
GENERATION = {
    "maxOutputTokens", "thinkingConfig", "temperature", "topP", "topK", "candidateCount",
    "stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema", "seed",
    "presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "responseModalities",
    "mediaResolution"}
FOREIGN = "skip_thought_signature_validator"  # documented for calls that another model made
NAME = r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"


class Gemini(Wire):
    gives_ids = True  # ids of calls are optional

    def __init__(self):
        super().__init__()
        self.hosted = []  # the parts of tools that ran at the provider
        self.begun = None  # a request, with the token with which its reply goes on

    def error(self, refusal):
        return {"error": {"code": refusal.status, "message": refusal.message,
                          "status": "INVALID_ARGUMENT"}}

    # ---- requests ----

    def check(self, path, headers, request):
        parts = urllib.parse.urlsplit(path)
        match = re.fullmatch(
            r"/v1(?:beta)?/models/([^:/]+):(generateContent|streamGenerateContent)", parts.path)
        refuse_unless(match, f"unknown path {path}", status=404)
        streams = match[2] == "streamGenerateContent"
        refuse_unless(parts.query == ("alt=sse" if streams else ""), f"query: {parts.query}")
        refuse_unless(headers.get("x-goog-api-key"), "no key", status=403)
        self.model = match[1]
        refuse_unknown(request, MEMBERS, "request")
        for part in request.get("systemInstruction", {"parts": []})["parts"]:
            refuse_unknown(part, {"text"}, "systemInstruction")
        self.check_tools(request)
        self.check_generation(request.get("generationConfig", {}))
        self.check_contents(request["contents"])
        refuse_unless(request == self.begun if self.begun else "continuationToken" not in request,
                      "the continuation is not the same request with its token")
        self.begun = None
        return streams

    @staticmethod
    def check_generation(config):
        refuse_unknown(config, GENERATION, "generationConfig")
        refuse_unknown(config.get("thinkingConfig", {}),
                       {"includeThoughts", "thinkingLevel", "thinkingBudget"}, "thinkingConfig")
        if "responseJsonSchema" in config:
            refuse_unless(config.get("responseMimeType") == "application/json",
                          "responseJsonSchema needs responseMimeType")
            check_keywords(config["responseJsonSchema"], KEYWORDS, "responseJsonSchema")

    def check_tools(self, request):
        names = []
        hosted = False
        for tool in request.get("tools", ()):
            refuse_unknown(tool, {"functionDeclarations", "googleSearch"}, "tools")
            refuse_unless(len(tool) == 1, "tools: a tool has one kind")
            refuse_unknown(tool.get("googleSearch", {}), {"timeRangeFilter", "searchTypes"},
                           "googleSearch")
            hosted = hosted or "googleSearch" in tool
            for function in tool.get("functionDeclarations", ()):
                refuse_unknown(function, {"name", "description", "parameters",
                                          "parametersJsonSchema"}, "functionDeclarations")
                refuse_unless(not {"parameters", "parametersJsonSchema"} <= set(function),
                              "parameters and parametersJsonSchema are mutually exclusive")
                self.check_schema(function)
                names.append(function["name"])
        check_names(names, NAME, 512)
        config = request.get("toolConfig", {})
        refuse_unknown(config, {"functionCallingConfig", "includeServerSideToolInvocations"},
                       "toolConfig")
        refuse_unless(not (hosted and names) or config.get("includeServerSideToolInvocations"),
                      "includeServerSideToolInvocations is required with both kinds of tools")
        choice = config.get("functionCallingConfig", {})
        refuse_unknown(choice, {"mode", "allowedFunctionNames"}, "functionCallingConfig")
        mode = choice.get("mode", "AUTO")
        refuse_unless(mode in ("AUTO", "ANY", "NONE", "VALIDATED"), f"unknown mode {mode}")
        refuse_unless(mode in ("AUTO", "NONE") or names, f"mode {mode} without functions")
        if "allowedFunctionNames" in choice:
            refuse_unless(mode in ("ANY", "VALIDATED"),
                          f"allowed function names are not supported with mode {mode}")
            for name in choice["allowedFunctionNames"]:
                refuse_unless(name in names, f"allowedFunctionNames: {name} is not declared")

    @staticmethod
    def check_schema(function):
        schema = function.get("parametersJsonSchema")
        if schema is not None:
            check_keywords(schema, KEYWORDS, function["name"])
            refuse_unless(schema.get("type") == "object", f"{function['name']}: not an object")

    # ---- contents ----

    def check_contents(self, contents):
        refuse_unless(contents and contents[0]["role"] == "user", "contents must begin with a user")
        refuse_unless(contents[-1]["role"] == "user", "contents must end with a user")
        calls = None
        last_user = max([i for i, content in enumerate(contents) if content["role"] == "user"
                         and any("text" in part for part in content["parts"])], default=0)
        for i, content in enumerate(contents):
            refuse_unknown(content, {"role", "parts"}, f"contents[{i}]")
            refuse_unless(content["role"] in ("user", "model"), f"contents[{i}]: role")
            refuse_unless(content["parts"], f"contents[{i}]: parts must not be empty")
            answers = [part["functionResponse"] for part in content["parts"]
                       if "functionResponse" in part]
            refuse_unless(len(answers) == len(calls or ()),
                          "Please ensure that the number of function response parts is equal to "
                          "the number of function call parts of the function call turn.")
            for call, answer in zip(calls or (), answers):
                self.check_answer(call, answer)
            calls = self.check_parts(i, content, i > last_user)

    @staticmethod
    def check_answer(call, answer):
        refuse_unknown(answer, {"id", "name", "response", "parts"}, "functionResponse")
        refuse_unless(answer["name"] == call["name"], "function responses are out of order")
        refuse_unless(answer.get("id") == call.get("id"), "functionResponse: unknown id")
        refuse_unless(isinstance(answer["response"], dict), "response must be an object")

    def check_parts(self, i, content, current):
        """Returns the calls of a content. Those of the current turn need a signature."""
        calls = []
        for part in content["parts"]:
            refuse_unknown(part, PART, f"contents[{i}]")
            refuse_unless(len(set(part) & {"text", "functionCall", "functionResponse", "toolCall",
                                           "toolResponse"}) == 1,
                          f"contents[{i}]: a part has one kind of data")
            if "toolCall" in part or "toolResponse" in part:
                refuse_unless(part in self.hosted, f"contents[{i}]: unknown call of a server tool")
            if "functionCall" in part:
                call = part["functionCall"]
                refuse_unless(content["role"] == "model", f"contents[{i}]: a call of the user")
                refuse_unknown(call, {"id", "name", "args"}, "functionCall")
                refuse_unless(isinstance(call.get("args", {}), dict), "args must be an object")
                refuse_unless(re.fullmatch(NAME, call["name"]), "functionCall: bad name")
                calls.append(call)
            if "thoughtSignature" in part:
                self.check_signature(part)
            elif current and "functionCall" in part and len(calls) == 1:
                raise Refusal(f"Function call `{call['name']}` in the content block {i} is missing "
                              "a `thought_signature`.")
        ids = [call["id"] for call in calls if "id" in call]
        refuse_unless(len(set(ids)) == len(ids), f"contents[{i}]: duplicate ids")
        return calls

    def check_signature(self, part):
        if part["thoughtSignature"] == FOREIGN and "functionCall" in part:
            refuse_unless(part["functionCall"].get("id") not in self.issued,
                          "a call of this model has lost its signature")
            return
        data = {key: value for key, value in part.items() if key != "thoughtSignature"}
        refuse_unless(part["thoughtSignature"] == seal(self.model, data),
                      "Corrupted thought signature.")

    # ---- replies ----

    def parts(self, turn):
        parts, signed = [], False
        if turn.get("thinking"):
            parts.append({"text": turn["thinking"], "thought": True})
        for name, asked in turn.get("hosted", ()):
            call = {"id": self.next_id(""), "toolType": f"GOOGLE_{name.upper()}"}
            self.hosted += [{"toolCall": {**call, "args": asked}},
                            {"toolResponse": {**call, "response": {"found": "größer"}}}]
            parts += self.hosted[-2:]
        if turn.get("text"):
            parts.append({"text": turn["text"]})
        for i, (name, _) in enumerate(turn.get("calls", ())):
            part = {"functionCall": {"name": name, "args": json.loads(arguments_of(turn, i))}}
            if self.gives_ids:
                part["functionCall"]["id"] = self.next_id("")
                self.issued[part["functionCall"]["id"]] = True
            if not signed:  # of parallel calls, only the first one is signed
                part["thoughtSignature"] = seal(self.model, dict(part))
                signed = True
            parts.append(part)
        return parts

    USAGE = {"promptTokenCount": 40, "cachedContentTokenCount": 32, "candidatesTokenCount": 5,
             "thoughtsTokenCount": 4, "totalTokenCount": 49}

    def response(self, parts, **more):
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}],
                "usageMetadata": self.USAGE, "modelVersion": self.model, "responseId": "r1"}

    def ending(self, request, turn):
        """The end of a response; a turn that "continues" goes on in the next response."""
        if not turn.get("continues"):
            return {"finishReason": "STOP"}
        token = self.next_id("token")
        self.begun = request | {"continuationToken": token}
        return {"finishReason": "CONTINUATION", "continuationToken": token}

    def whole(self, request, turn):
        return self.response(self.parts(turn), **self.ending(request, turn))

    def stream(self, request, turn):
        """No comments, no names of events, no [DONE]: Google's own readers fail on them."""
        out, parts = "", self.parts(turn)
        for part in parts:
            pieces = [{**part, "text": piece} for piece in halves(part["text"])
                      ] if "text" in part else [part]
            out += "".join(sse(None, self.response([piece])) for piece in pieces)
        last = [{"text": ""}]
        if not turn.get("calls"):  # the signature of a text comes late, with an empty text
            last[0]["thoughtSignature"] = seal(self.model, {"text": ""})
        return out + sse(None, self.response(last, **self.ending(request, turn)))


class GeminiWithoutIds(Gemini):
    gives_ids = False
