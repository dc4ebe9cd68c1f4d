"""A redis.asyncio client from a URL.

redis://, rediss://, unix://                      one server
redis+cluster://, rediss+cluster://               a Cluster, any node of it
redis+sentinel://user:pw@host:port,host:port/service/db    the master that Sentinels name
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import ExponentialWithJitterBackoff

Client = Redis | RedisCluster
DEFAULT_SENTINEL_PORT = 26379


def connect(url: str, *, timeout_seconds: float, connections: int) -> Client:
    """Make a client; nothing connects before the first command.

    Raises ValueError for a URL that means nothing.
    """
    options: dict[str, Any] = {
        "socket_timeout": timeout_seconds,
        "socket_connect_timeout": timeout_seconds,
        "retry": Retry(ExponentialWithJitterBackoff(cap=0.2, base=0.02), 2),
    }
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        return RedisCluster.from_url(url.replace("+cluster", "", 1), max_connections=connections, **options)
    if scheme.endswith("+sentinel"):
        return _by_sentinel(url, {**options, "max_connections": connections})
    return Redis.from_url(url, max_connections=connections, **options)


def _by_sentinel(url: str, options: dict[str, Any]) -> Redis:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    username, _, password = login.partition(":")
    service, _, db = parts.path.strip("/").partition("/")
    if not hosts or not service:
        raise ValueError(
            f"{shown(url)} names no Sentinel or no service: redis+sentinel://host:port,host:port/service/db"
        )
    if parts.scheme.startswith("rediss"):
        options["ssl"] = True
    if password:
        options |= {"username": unquote(username) or None, "password": unquote(password)}
    sentinels = [_host(host) for host in hosts.split(",")]
    probing = {"socket_timeout": options["socket_timeout"]}
    sentinel = Sentinel(sentinels, sentinel_kwargs=probing)  # type: ignore[no-untyped-call]
    master: Redis = sentinel.master_for(service, db=int(db or 0), **options)
    return master


def _host(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return (host, int(port)) if host else (port, DEFAULT_SENTINEL_PORT)


def shown(url: str) -> str:
    """The URL without user and password, for logs and the ready line."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
