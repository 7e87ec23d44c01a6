"""The capabilities of the adapter, in the protocol's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CAPABILITIES: Mapping[str, Any] = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsStepBack": True,
    "supportsSteppingGranularity": True,
    "supportsGotoTargetsRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "supportsExceptionFilterOptions": True,
    "supportsLoadedSourcesRequest": True,
    "supportsReadMemoryRequest": True,
    "supportsCancelRequest": True,
    "supportsTerminateRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "exceptionBreakpointFilters": [
        {"filter": "nan", "label": "NaN is born", "default": True,
         "description": "Stops at an op whose result has a NaN where its operands have none."},
        {"filter": "inf", "label": "Infinity is born", "default": False,
         "description": "Stops at an op whose result is infinite where its operands are finite."},
    ],
}  # fmt: skip
