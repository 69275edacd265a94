"""The application: which address shows what."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ExceptionHandler

from rembo.dashboard.assets import STATIC, assets, head
from rembo.dashboard.catalogue import Catalogue, Place, UnknownPlaceError
from rembo.dashboard.charts import sentence
from rembo.dashboard.facts import summary
from rembo.dashboard.html import Child, Html, element
from rembo.dashboard.pages.index import index_page
from rembo.dashboard.pages.layout import page
from rembo.dashboard.pages.small import problem_page, trial_page
from rembo.dashboard.pages.study import StudyView, study_parts
from rembo.dashboard.server.access import Access, Guard
from rembo.dashboard.server.beliefs import BeliefError, Beliefs
from rembo.dashboard.server.events import changes, version_of
from rembo.dashboard.snapshots import Snapshots
from rembo.study import StorageError

_FOREVER = {"cache-control": "max-age=31536000, immutable"}  # an asset's address changes with the asset


def application(path: Path, access: Access, ending: Callable[[], bool] = lambda: False) -> Starlette:
    """The pages of the studies in a file or folder; `ending` says whether the server is about to end."""
    desk = Desk(Catalogue(path), ending)
    routes = [
        Route("/", desk.index),
        Route("/study", desk.study),
        Route("/trial", desk.trial),
        Route("/charts", desk.charts),
        Route("/belief", desk.belief),
        Route("/events", desk.events),
        Route(STATIC + "{name}", desk.asset),
    ]
    handlers: dict[type[Exception] | int, ExceptionHandler] = {
        HTTPException: _not_answered,
        UnknownPlaceError: _unknown,
        StorageError: _unreadable,
    }
    guard = Middleware(Guard, access=access)
    return Starlette(routes=routes, exception_handlers=handlers, middleware=[guard], lifespan=desk.lifespan)


class Desk:
    """Answers requests, each from what the files hold at that moment; reading is done beside the event loop."""

    def __init__(self, catalogue: Catalogue, ending: Callable[[], bool]) -> None:
        self._catalogue, self._ending = catalogue, ending
        self._snapshots = Snapshots(catalogue)
        self._beliefs = Beliefs(catalogue, ending)

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """From the start of the server to its end."""
        yield
        await self._beliefs.close()

    async def index(self, request: Request) -> Response:
        """The list of studies."""
        version = version_of(self._paths(None))
        shelves = await run_in_threadpool(self._catalogue.shelves)
        return HTMLResponse(index_page(self._catalogue.path, shelves, version, head()))

    async def study(self, request: Request) -> Response:
        """The page of a study."""
        place = _place(request)
        version = version_of(self._paths(place.file))
        return HTMLResponse(await run_in_threadpool(self._study_page, place, version, _number(request, "page")))

    def _study_page(self, place: Place, version: str, number: int) -> Html:
        study = self._snapshots.latest(place).study
        view = StudyView(
            place.file,
            study,
            summary(study, time.time()),
            number,
            trial_link=lambda trial: f"/trial?{place.query(number=trial)}",
            page_link=lambda page: f"/study?{place.query(page=page)}",
        )
        if number >= view.pages:
            raise UnknownPlaceError(f"There are {view.pages:,} pages of trials, and no page {number + 1:,}.")
        return page(
            place.name, *study_parts(view), head=head(), trail=_trail(), data_version=version, data_study=place.query()
        )

    async def trial(self, request: Request) -> Response:
        """The page of a trial."""
        place, number = _place(request), _number(request, "number")
        trials = (await run_in_threadpool(self._snapshots.latest, place)).study.trials
        if number >= len(trials):
            raise UnknownPlaceError(f"Study {place.name!r} has {len(trials):,} trials, and no trial {number:,}.")
        return HTMLResponse(trial_page(trials[number], _trail(place), head()))

    async def charts(self, request: Request) -> Response:
        """The charts that follow from the trials alone."""
        place = _place(request)
        charts = await run_in_threadpool(lambda: self._snapshots.latest(place).charts)
        return Response(charts, media_type="application/json")

    async def belief(self, request: Request) -> Response:
        """The charts of the model, and the method card; this may take long."""
        place = _place(request)
        snapshot = await run_in_threadpool(self._snapshots.latest, place)
        try:
            json = await self._beliefs.json(place, snapshot.told)
        except BeliefError as error:
            return JSONResponse({"problem": sentence(str(error))}, status_code=500)
        return Response(status_code=503) if json is None else Response(json, media_type="application/json")

    async def events(self, request: Request) -> Response:
        """A stream that says when a file, or any of them, has changed."""
        file = request.query_params.get("file")
        self._paths(file)
        stream = changes(lambda: self._paths(file), self._ending)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def asset(self, request: Request) -> Response:
        """A file that pages need."""
        path = assets().get(request.path_params["name"])
        if path is None:
            raise UnknownPlaceError("There is no such file.")
        return FileResponse(path, headers=_FOREVER)

    def _paths(self, file: str | None) -> list[Path]:
        """The files to watch."""
        return list(self._catalogue.files().values()) if file is None else [self._catalogue.storage(file).path]


def _place(request: Request) -> Place:
    return Place(request.query_params.get("file", ""), request.query_params.get("name", ""))


def _number(request: Request, name: str) -> int:
    """A whole number of the address, 0 if it is not there."""
    text = request.query_params.get(name, "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UnknownPlaceError(f"{name} {text!r} must be a whole number.")
    return int(text)


def _trail(place: Place | None = None) -> Child:
    """The way back."""
    studies = element("a", "Studies", href="/")
    return [studies] if place is None else [studies, element("a", place.name, href=f"/study?{place.query()}")]


async def _unknown(request: Request, error: Exception) -> Response:
    return HTMLResponse(problem_page("Not found", str(error), head()), status_code=404)


async def _unreadable(request: Request, error: Exception) -> Response:
    return HTMLResponse(problem_page("The file cannot be read", str(error), head()), status_code=500)


async def _not_answered(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = "There is no such page." if error.status_code == 404 else error.detail
    return HTMLResponse(problem_page("Not found", text, head()), error.status_code, error.headers)
