"""What cffi is told about libgpis: the declarations of gpis.h itself, so that the two cannot differ."""

import re
import subprocess
from pathlib import Path


def declarations(header: Path, compiler: str = "cc") -> str:
    """The declarations of gpis.h, preprocessed, without those of other headers and without inline functions."""
    # Without __GNUC__ the header declares its functions without attributes, which cffi does not know.
    command = [compiler, "-E", "-U__GNUC__", "-D__attribute__(x)=", str(header)]
    lines, inside = [], False
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            inside = Path(marker.group(1)) == header
        elif inside:
            lines.append(line)
    text = "\n".join(lines)
    return re.sub(r"^static inline .*?^}$", "", text, flags=re.MULTILINE | re.DOTALL)
