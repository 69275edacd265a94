"""The server: routes, events and who may look; the one place that imports Starlette and uvicorn."""

try:
    import starlette
    import uvicorn
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "rembo dashboard needs Starlette and uvicorn: pip install 'rembo[dashboard]'"
    ) from missing

__all__ = ["starlette", "uvicorn"]
