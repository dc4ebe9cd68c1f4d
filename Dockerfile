# syntax=docker/dockerfile:1

# --- build: everything comes from the lock, the build backend included ---------------------------------------
FROM python:3.12-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/dvesim
WORKDIR /src
COPY requirements-run.lock ./
RUN /opt/dvesim/bin/pip install --only-binary :all: --require-hashes -r requirements-run.lock
COPY pyproject.toml README.md CHANGELOG.md ./
COPY engine engine
COPY service service
COPY clients/python clients/python
COPY proto proto
RUN /opt/dvesim/bin/pip install --no-deps --no-build-isolation . \
    && /opt/dvesim/bin/python -m compileall -q /opt/dvesim/lib

# --- run: no compiler, no sources, no root -------------------------------------------------------------------
FROM python:3.12-slim-bookworm
RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin dvesim
COPY --from=build /opt/dvesim /opt/dvesim
ENV PATH=/opt/dvesim/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /tmp
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz/live', timeout=2)"]
ENTRYPOINT ["dvesim", "serve"]
CMD ["--host", "0.0.0.0", "--port", "8080", "--grpc-port", "8081"]
