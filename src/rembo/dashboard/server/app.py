"""The application: which address shows what."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ExceptionHandler

from rembo.dashboard.asked import Asked, number, whole
from rembo.dashboard.assets import STATIC, assets, head
from rembo.dashboard.catalogue import Catalogue, Place, UnknownPlaceError
from rembo.dashboard.charts import compared_charts, sentence
from rembo.dashboard.facts import summary
from rembo.dashboard.html import Child, Html, element
from rembo.dashboard.links import Links, compared, comparison
from rembo.dashboard.pages.index import compare_page, index_page, labels_of
from rembo.dashboard.pages.layout import page
from rembo.dashboard.pages.small import problem_page, trial_page
from rembo.dashboard.pages.study import StudyView, study_parts
from rembo.dashboard.pages.trials import TrialsView
from rembo.dashboard.server.access import Access, Guard
from rembo.dashboard.server.beliefs import BeliefError, Beliefs
from rembo.dashboard.server.events import changes, version_of
from rembo.dashboard.snapshots import Snapshot, Snapshots
from rembo.dashboard.table import table_of
from rembo.study import StorageError
from rembo.study.own_class import UnknownClassError
from rembo.study.storage import StoredStudy

_FOREVER = {"cache-control": "max-age=31536000, immutable"}  # an asset's address changes with the asset


def application(path: Path, access: Access, ending: Callable[[], bool] = lambda: False) -> Starlette:
    """The pages of the studies in a file or folder; `ending` says whether the server is about to end."""
    desk = Desk(Catalogue(path), ending)
    routes = [
        Route("/", desk.index),
        Route("/study", desk.study),
        Route("/compare", desk.compare),
        Route("/compare/charts", desk.compared_charts),
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
        UnknownClassError: _unreadable,
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
        asked = Asked.read(request.query_params.multi_items())
        return HTMLResponse(await run_in_threadpool(self._study_page, place, version, asked))

    def _study_page(self, place: Place, version: str, asked: Asked) -> Html:
        snapshot, links = self._snapshots.latest(place), Links(place)
        view = _view(snapshot, asked, self._beliefs.matters(place), links)
        if asked.page >= view.trials.pages:
            raise UnknownPlaceError(f"There are {view.trials.pages:,} pages of trials, and no page {asked.page + 1:,}.")
        return page(
            place.name,
            *study_parts(view),
            head=head(),
            trail=_trail(),
            data_version=version,
            data_events=links.events,
            data_charts=links.charts(asked),
            data_belief=links.belief,
        )

    async def compare(self, request: Request) -> Response:
        """The histories of several studies in one chart."""
        places, asked = _compared(request), _target(request)
        version = version_of(self._paths(None))
        studies = await run_in_threadpool(self._studies, places)
        shelves = await run_in_threadpool(self._catalogue.shelves)
        charts = {"data_charts": f"/compare/charts?{comparison(places, asked)}"} if places else {}
        made = compare_page(studies, shelves, asked, head(), data_version=version, data_events="/events", **charts)
        return HTMLResponse(made)

    async def compared_charts(self, request: Request) -> Response:
        """The chart that several studies have in common."""
        places, asked = _compared(request), _target(request)
        studies = await run_in_threadpool(self._studies, places)
        named = {label: studies[place] for place, label in labels_of(places).items()}
        charts = await run_in_threadpool(compared_charts, named, asked.target)
        return JSONResponse({name: asdict(chart) for name, chart in charts.items()})

    def _studies(self, places: Sequence[Place]) -> dict[Place, StoredStudy]:
        return {place: self._snapshots.latest(place).study for place in places}

    async def trial(self, request: Request) -> Response:
        """The page of a trial."""
        place, asked = _place(request), whole(dict(request.query_params), "number") or 0
        trials = (await run_in_threadpool(self._snapshots.latest, place)).study.trials
        if asked >= len(trials):
            raise UnknownPlaceError(f"Study {place.name!r} has {len(trials):,} trials, and no trial {asked:,}.")
        return HTMLResponse(trial_page(trials[asked], _trail(place), head()))

    async def charts(self, request: Request) -> Response:
        """The charts that follow from the trials alone."""
        place, asked = _place(request), _target(request)
        charts = await run_in_threadpool(lambda: self._snapshots.latest(place).charts(asked.target))
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


def _target(request: Request) -> Asked:
    """What a chart is asked for: a target, and nothing else of the address."""
    return Asked(target=number(dict(request.query_params), "target"))


def _compared(request: Request) -> list[Place]:
    return compared(request.query_params.multi_items())


def _view(snapshot: Snapshot, asked: Asked, matters: Sequence[str], links: Links) -> StudyView:
    study, compared = snapshot.study, snapshot.comparison
    space = study.header.space
    table = table_of(space, study.trials, asked, snapshot.readings)
    differing = () if compared is None else compared.differing
    trials = TrialsView(space, len(study.trials), table, asked, matters, differing, links)
    return StudyView(links.place.file, study, summary(study, time.time()), trials, compared)


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
