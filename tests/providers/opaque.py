# SPDX-License-Identifier: Apache-2.0
"""What only the model that made it may get back: signed and encrypted thinking."""

from mock_gemini import FOREIGN


def opaque(mock):
    """The signed and encrypted texts that a mock has sent, but not the one for calls of other
    models."""
    found = set()

    def collect(value):
        if isinstance(value, dict):
            for key, item in value.items():
                if key in ("signature", "encrypted_content", "thoughtSignature", "data"):
                    found.add(item)
                collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)
    for request in mock.requests:  # what comes back was sent before
        collect(request)
    return found - {FOREIGN}
