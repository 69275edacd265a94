"""Who may look: names of the host, the token, the cookie, and what every answer forbids a browser."""

import re
from urllib.parse import urlencode

import pytest
from dashboard_client import serving

from rembo.dashboard.server.access import Access
from rembo.dashboard.server.serve import check_token, is_loopback, new_token

TOKEN = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def locked(studies):
    with serving(studies, Access.to("127.0.0.1", TOKEN)) as made:
        yield made


def login(client, token, to="/"):
    return client.send("POST", "/login", urlencode({"token": token, "to": to}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8765", "LOCALHOST", "[::1]:8765", "192.168.7.7", "box.lan:1"])
def test_addresses_and_known_names_are_answered(host):
    assert Access.to("127.0.0.1", more_hosts=["box.lan"]).knows_host(host)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8765", "[evil]"]
)
def test_names_that_anybody_could_lead_here_are_not_known(host):
    assert not Access.to("127.0.0.1").knows_host(host)


def test_a_request_to_an_unknown_name_is_misdirected(client):
    answer = client.get("/", Host="evil.example")
    assert (answer.status, "--allow-host" in answer.text) == (421, True)


@pytest.mark.parametrize("address", ["/", "/study?file=tune.db&name=bowl", "/charts", "/belief", "/events", "/nowhere"])
def test_without_the_token_every_address_asks_for_it(locked, address):
    answer = locked.get(address)
    assert (answer.status, "bowl" in answer.text.replace("name=bowl", "")) == (401, False)
    assert 'action="/login"' in answer.text


def test_the_token_in_a_header_opens_the_page(locked):
    assert locked.get("/", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.mark.parametrize("wrong", ["", TOKEN[:-1], TOKEN + "x", "é"])
def test_a_wrong_token_opens_nothing(locked, wrong):
    answer = login(locked, wrong)
    assert (answer.status, answer.headers["set-cookie"]) == (401, None)
    assert "This token is not right." in answer.text


def test_the_token_in_the_form_gives_a_cookie_that_opens_the_page(locked):
    answer = login(locked, TOKEN)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert locked.get("/", Cookie=cookie).status == 200


def test_a_cookie_that_was_not_given_opens_nothing(locked):
    name = login(locked, TOKEN).headers["set-cookie"].partition("=")[0]
    assert locked.get("/", Cookie=f"{name}={TOKEN}").status == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites_and_is_not_the_token(locked):
    cookie = login(locked, TOKEN).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie


def test_the_token_in_an_address_opens_nothing(locked):
    assert locked.get(f"/?token={TOKEN}").status == 401


def test_the_form_leads_back_to_where_it_was_asked_for(locked):
    page = locked.get("/study?file=tune.db&name=bowl").text
    to = re.search(r'name="to" value="([^"]*)"', page).group(1).replace("&amp;", "&")
    assert login(locked, TOKEN, to).headers["location"] == "/study?file=tune.db&name=bowl"


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example/", "/\\evil.example/", ""])
def test_the_form_leads_to_no_other_site(locked, to):
    assert login(locked, TOKEN, to).headers["location"] == "/"


def test_a_form_that_is_too_long_is_not_read(locked):
    assert login(locked, TOKEN, "/" + "x" * 5000).status == 401


def test_a_form_needs_no_token_where_none_is_asked_for(client):
    assert login(client, "").status == 303


@pytest.mark.parametrize("address", ["/", "/nowhere", "/static/style.css", "/charts?file=tune.db&name=bowl"])
def test_every_answer_forbids_what_pages_do_not_need(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


def test_data_is_not_stored_and_assets_are(client):
    assert client.get("/").headers["cache-control"] == "no-store"
    assert "immutable" in client.get("/static/style.css").headers["cache-control"]


def test_a_secret_is_not_in_what_an_access_looks_like():
    access = Access.to("127.0.0.1", TOKEN)
    assert TOKEN not in repr(access)
    assert access.session not in repr(access)


def test_a_short_token_is_refused():
    with pytest.raises(ValueError, match="at least 16 printable ASCII characters, not 5"):
        check_token("short")


def test_a_new_token_is_long_enough():
    assert check_token(new_token())


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("box", False)]
)
def test_only_addresses_of_this_machine_are_loopback(host, expected):
    assert is_loopback(host) is expected
