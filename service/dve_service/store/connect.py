"""A redis.asyncio client from a URL.

redis://, rediss://, unix://                               one server
redis+cluster://, rediss+cluster://                        a Cluster, any node of it
redis+sentinel://user:pw@host:port,host:port/service/db    the master that Sentinels name

rediss means TLS, to Sentinels too. Options follow as a query, with the names redis-py gives them: ssl_ca_certs,
ssl_certfile, ssl_keyfile, ssl_check_hostname, ...; sentinel_username and sentinel_password where Sentinels want them.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

Client = Redis | RedisCluster
DEFAULT_SENTINEL_PORT = 26379


def connect(url: str, *, timeout_seconds: float, connections: int) -> Client:
    """Make a client; nothing connects before the first command.

    Raises ValueError for a URL that means nothing.
    """
    options: dict[str, Any] = {
        "socket_timeout": timeout_seconds,
        "socket_connect_timeout": timeout_seconds / 2,
        # faults.py tries again. The client's own retries would multiply with those; on a Cluster they also close all
        # connections, those in use by others too, and send half a pipeline.
        "retry": Retry(NoBackoff(), 0),
    }
    scheme = urlsplit(url).scheme
    if scheme.endswith("+cluster"):
        return RedisCluster.from_url(url.replace("+cluster", "", 1), max_connections=connections, **options)
    if scheme.endswith("+sentinel"):
        return _by_sentinel(url, options, connections)
    return Redis.from_url(url, max_connections=connections, **options)


async def refresh(client: Client) -> None:
    """Learn which node of a Cluster serves what; other clients find out when they connect."""
    if isinstance(client, RedisCluster):
        await client.nodes_manager.initialize()


async def knock(client: Client, key: str) -> None:
    """Return if the store serves requests: a server that answers PING may still be loading or its Cluster be down."""
    if isinstance(client, RedisCluster):
        await client.ping(target_nodes=RedisCluster.PRIMARIES)
    await client.exists(key)


def _by_sentinel(url: str, options: dict[str, Any], connections: int) -> Redis:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    service, _, db = parts.path.strip("/").partition("/")
    if not hosts or not service:
        raise ValueError(
            f"{shown(url)} names no Sentinel or no service: redis+sentinel://host:port,host:port/service/db"
        )
    # the parts that the library reads, with a server in the place of the Sentinels
    given: dict[str, Any] = {**parse_url(urlunsplit(("redis", f"{login}@", f"/{db or 0}", parts.query, "")))}
    probing = {name: given.pop(f"sentinel_{name}") for name in ("username", "password") if f"sentinel_{name}" in given}
    options = options | ({"ssl": True} if parts.scheme.startswith("rediss") else {})
    probing |= options | {name: value for name, value in given.items() if name.startswith("ssl")}
    probing["socket_timeout"] = probing["socket_connect_timeout"] = options["socket_timeout"] / 4  # there are others
    sentinel = Sentinel([_host(host) for host in hosts.split(",")], sentinel_kwargs=probing)  # type: ignore[no-untyped-call]
    master: Redis = sentinel.master_for(service, max_connections=connections, **options | given)
    return master


def _host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    return parts.hostname or "", parts.port or DEFAULT_SENTINEL_PORT


def shown(url: str) -> str:
    """The URL without user and password, for logs and the ready line."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
