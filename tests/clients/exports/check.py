"""Reads golden exports with the providers' own packages, which must take them unchanged.

check.py FOLDER...: every *.json there has {"exports": {FORMAT: {"tool": ...}}}.
"""

import copy
import json
import pathlib
import sys

from google.genai import types
from openai.lib._pydantic import _ensure_strict_json_schema


def openai_strict(tool):
    """The helper by which the package makes a schema strict must find nothing left to do."""
    function = tool.get("function", tool)
    if not function["strict"]:
        return None
    schema = function["parameters"]
    made = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=copy.deepcopy(schema))
    # As texts, so that the order of `required` and of the properties counts too.
    if json.dumps(made) != json.dumps(schema):
        return f"the helper changes it to {json.dumps(made)}"
    return None


def gemini(tool):
    """The package's model must take every field, and give the same back."""
    read = types.Tool.model_validate(copy.deepcopy(tool))
    dumped = json.loads(read.model_dump_json(by_alias=True, exclude_none=True))
    if canonical(dumped) != canonical(tool):
        return f"it is read as {json.dumps(dumped)}"
    return None


def canonical(value, key=None):
    """Type names in one case, and whole numbers as what they are: the model has floats for bounds."""
    if isinstance(value, dict):
        return {name: canonical(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [canonical(inner, key) for inner in value]
    if key == "type" and isinstance(value, str):
        return value.lower()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return value


CHECKS = {
    "openai-strict": openai_strict,
    "openai-responses-strict": openai_strict,
    "gemini": gemini,
    "gemini-json-schema": gemini,
}


def main(folders):
    count, strict, failures = 0, 0, []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            exports = json.loads(path.read_text())["exports"]
            for name, check in CHECKS.items():
                tool = exports[name]["tool"]
                count += 1
                strict += tool.get("function", tool).get("strict") is True
                try:
                    problem = check(tool)
                except Exception as error:  # whatever a package says is what a user would see
                    problem = f"{type(error).__name__}: {error}"
                if problem:
                    failures.append(f"{path} {name}: {problem}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{count} exports read by the providers' packages, {strict} of them strict; {len(failures)} refused")
    # Nothing read proves nothing.
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
