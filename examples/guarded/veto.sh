#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A hook of examples/guarded.yaml: denies files whose name says that they are private.
if grep -q '"file":"private'; then
    echo '{"deny": "private notes are not for this agent"}'
fi
