"""Beliefs: computed by a process beside the server, kept while they are new enough, ended with the server."""

import asyncio
import json

import pytest

from rembo.dashboard.catalogue import Catalogue, Place
from rembo.dashboard.server.beliefs import BeliefError, Beliefs


def never():
    return False


def test_a_belief_is_computed_once_for_what_was_told(studies, hostile):
    async def ask_twice():
        beliefs = Beliefs(Catalogue(studies), never)
        return await beliefs.json(hostile, told=1), await beliefs.json(hostile, told=1)

    first, second = asyncio.run(ask_twice())
    assert first is second
    assert json.loads(first)["told"] == 120


def test_two_who_ask_at_the_same_time_wait_for_one_process(studies, hostile):
    async def ask_together():
        beliefs = Beliefs(Catalogue(studies), never)
        return await asyncio.gather(beliefs.json(hostile, told=1), beliefs.json(hostile, told=1))

    first, second = asyncio.run(ask_together())
    assert first is second


def test_a_belief_that_cannot_be_computed_says_why(studies):
    with pytest.raises(BeliefError, match="has no study named 'absent'"):
        asyncio.run(Beliefs(Catalogue(studies), never).json(Place("tune.db", "absent"), told=1))


def test_who_asks_while_the_server_ends_is_not_kept_waiting(studies, bowl):
    async def ask_and_close():
        beliefs = Beliefs(Catalogue(studies), ending=lambda: True)
        answer = await beliefs.json(bowl, told=1)
        await beliefs.close()
        return answer, asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(ask_and_close()) == (None, set())
