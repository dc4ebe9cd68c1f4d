"""The deployment files agree with each other and with the tree. Needs no Docker, nginx or network.

`make lint-deploy` adds what only the real programs can say: hadolint, nginx -t, docker-compose config.
"""

import fnmatch
import json
import os
import re
import shlex
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HTTP_PORT, GRPC_PORT = "8080", "8081"


# --- docker-compose.yml ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def service(compose):
    return compose["services"]["dvesim"]


def test_compose_has_the_three_parts(compose):
    assert set(compose["services"]) == {"dvesim", "valkey", "lb"}
    assert set(compose) == {"services", "volumes"}


def test_compose_runs_more_than_one_replica_and_publishes_only_the_balancer(compose, service):
    assert service["deploy"]["replicas"] >= 2
    assert [name for name, part in compose["services"].items() if "ports" in part] == ["lb"]
    assert service["expose"] == [HTTP_PORT, GRPC_PORT]


def test_every_image_is_pinned_to_a_version(compose):
    images = [part["image"] for part in compose["services"].values()]
    assert len(images) == 3
    for image in images:
        _, _, tag = image.partition(":")
        assert re.match(r"\d+\.\d+", tag), f"{image} floats"


def test_dependencies_exist_and_wait_for_health(compose):
    checked = 0
    for part in compose["services"].values():
        for name, how in part.get("depends_on", {}).items():
            assert name in compose["services"]
            assert how == {"condition": "service_healthy"}
            checked += 1
    assert checked == 2


def test_every_part_is_checked_for_health(compose):
    own = {name for name, part in compose["services"].items() if "healthcheck" in part}
    assert own == {"valkey", "lb"}  # the service's check is in its image
    assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text()


def test_the_store_keeps_what_it_acknowledged(compose):
    store = compose["services"]["valkey"]
    options = dict(zip(store["command"][1::2], store["command"][2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"] == "noeviction"
    volume, _, target = store["volumes"][0].partition(":")
    assert volume in compose["volumes"]
    assert target == "/data"


def test_the_service_runs_without_privileges_and_finds_the_store(compose, service):
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["environment"].keys() == {"DVESIM_REDIS_URL"}
    assert "redis://valkey:6379/" in service["environment"]["DVESIM_REDIS_URL"]
    assert compose["services"]["valkey"]["expose"] == ["6379"]


def test_mounted_files_exist(compose):
    host, target, mode = compose["services"]["lb"]["volumes"][0].split(":")
    assert (ROOT / host).is_file()
    assert (target, mode) == ("/etc/nginx/nginx.conf", "ro")


# --- nginx -------------------------------------------------------------------------------------------------


def parse_nginx(text):
    """Read nginx's block syntax: a list of (words, children), children None for a simple directive."""
    tokens = re.findall(r"#[^\n]*|\"[^\"]*\"|'[^']*'|[{};]|[^\s{};\"']+", text)
    stack, words = [[]], []
    for token in (t for t in tokens if not t.startswith("#")):
        if token == ";":
            assert words, "empty directive"
            stack[-1].append((words, None))
            words = []
        elif token == "{":
            children = []
            stack[-1].append((words, children))
            stack.append(children)
            words = []
        elif token == "}":
            assert not words, f"missing semicolon after {' '.join(words)}"
            stack.pop()
        else:
            words.append(token)
    assert len(stack) == 1, "unbalanced braces"
    assert not words
    return stack[0]


def children_of(block, *name):
    return [body for words, body in block if body is not None and words[: len(name)] == list(name)]


def values(block, name):
    return [words[1:] for words, body in block if body is None and words[0] == name]


@pytest.fixture(scope="module")
def nginx():
    (http,) = children_of(parse_nginx((ROOT / "deploy/nginx/nginx.conf").read_text()), "http")
    return http


@pytest.mark.parametrize(("upstream", "port"), [("dvesim_http", HTTP_PORT), ("dvesim_grpc", GRPC_PORT)])
def test_balancer_reaches_the_replicas_by_their_compose_name(nginx, service, upstream, port):
    (block,) = children_of(nginx, "upstream", upstream)
    (server,) = values(block, "server")
    assert server[:2] == [f"dvesim:{port}", "resolve"]
    assert port in service["expose"]
    assert values(block, "zone"), "resolve needs shared memory"
    assert values(nginx, "resolver"), "resolve needs a resolver"


def test_balancer_speaks_http_and_grpc_on_the_published_ports(nginx, compose):
    by_port = {values(server, "listen")[0][0]: server for server in children_of(nginx, "server")}
    published = {port.rpartition(":")[2] for port in compose["services"]["lb"]["ports"]}
    assert by_port.keys() == published == {HTTP_PORT, GRPC_PORT}
    (http,) = children_of(by_port[HTTP_PORT], "location", "/")
    (grpc,) = children_of(by_port[GRPC_PORT], "location", "/")
    assert values(by_port[GRPC_PORT], "listen") == [[GRPC_PORT, "http2"]]
    assert values(http, "proxy_pass") == [["http://dvesim_http"]]
    assert values(grpc, "grpc_pass") == [["grpc://dvesim_grpc"]]


def test_balancer_never_repeats_a_post_that_was_sent(nginx):
    for server in children_of(nginx, "server"):
        (location,) = children_of(server, "location", "/")
        for directive in ("proxy_next_upstream", "grpc_next_upstream"):
            assert not any("non_idempotent" in words for words in values(location, directive))


def test_balancer_leaves_size_limits_and_buffering_to_the_service(nginx):
    (http,) = [s for s in children_of(nginx, "server") if values(s, "listen")[0][0] == HTTP_PORT]
    (location,) = children_of(http, "location", "/")
    assert values(nginx, "client_max_body_size") == [["0"]]
    assert values(location, "proxy_request_buffering") == [["off"]]
    assert values(location, "proxy_buffering") == [["off"]]


# --- Dockerfile --------------------------------------------------------------------------------------------


def dockerfile():
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines()]
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def last_stage():
    steps = dockerfile()
    start = max(i for i, (word, _) in enumerate(steps) if word == "FROM")
    return steps[start:]


def test_image_is_built_in_stages_on_a_pinned_base():
    bases = [rest.split()[0] for word, rest in dockerfile() if word == "FROM"]
    assert len(bases) == 2
    assert set(bases) == {"python:3.12-slim-bookworm"}


def test_image_installs_from_the_lock_only():
    installs = [rest for word, rest in dockerfile() if word == "RUN" and "pip install" in rest]
    assert len(installs) == 2
    assert "--require-hashes -r requirements-run.lock" in installs[0]
    assert "--no-deps --no-build-isolation ." in installs[1]


def test_image_runs_as_nobody_in_particular():
    (user,) = [rest for word, rest in last_stage() if word == "USER"]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)


def test_image_serves_and_checks_the_live_endpoint():
    stage = dict(last_stage())
    assert json.loads(stage["ENTRYPOINT"]) == ["dvesim", "serve"]
    options = json.loads(stage["CMD"])
    assert options == ["--host", "0.0.0.0", "--port", HTTP_PORT, "--grpc-port", GRPC_PORT]
    assert stage["EXPOSE"].split() == [HTTP_PORT, GRPC_PORT]
    assert f"http://127.0.0.1:{HTTP_PORT}/healthz/live" in stage["HEALTHCHECK"]


def test_everything_copied_exists_and_is_let_through():
    ignore = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    let_through = [line[1:] for line in ignore if line.startswith("!")]
    assert ignore[0] == "*"
    copied = 0
    for word, rest in dockerfile():
        if word == "COPY" and "--from=" not in rest:
            for source in shlex.split(rest)[:-1]:
                assert (ROOT / source).exists(), source
                assert any(fnmatch.fnmatch(source, pattern + "*") for pattern in let_through), source
                copied += 1
    assert copied == 8
    for pattern in let_through:
        assert (ROOT / pattern).exists(), pattern


# --- make and CI -------------------------------------------------------------------------------------------


def test_ci_runs_the_test_command_of_the_readme():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.search(r"^exec make test\b", script.read_text(), re.MULTILINE)
    assert "make test" in (ROOT / "README.md").read_text()


def test_every_habit_is_a_target():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    habits = "run demo test lint types proto bench bench-check conformance fuzz lock audit-free lint-deploy"
    assert set(habits.split()) <= targets
    (phony,) = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)", makefile, re.MULTILINE)
    assert set(phony.replace("\\", "").split()) == targets
