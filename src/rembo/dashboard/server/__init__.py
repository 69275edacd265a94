"""The server: routes, events and who may look; the one place that imports Starlette and uvicorn."""

from rembo.extras import absent

try:
    import starlette
    import uvicorn
except ModuleNotFoundError as missing:
    raise absent("rembo dashboard needs Starlette and uvicorn", "starlette", "uvicorn", "plotly") from missing

__all__ = ["starlette", "uvicorn"]
