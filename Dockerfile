# The wheel is built in a stage of its own, where the build hook fetches Node to bundle the page's libraries;
# what runs holds Python, hloscope and the driver of PostgreSQL.
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
# The build context has no .git to read the version from: --build-arg VERSION=1.2.3 states it.
ARG VERSION=""
RUN pip install --no-cache-dir --require-hashes -r requirements/release.txt
RUN SETUPTOOLS_SCM_PRETEND_VERSION="$VERSION" \
    pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.12-slim
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HLOSCOPE_DATA_DIR=/data
RUN useradd --system --uid 10001 --create-home hloscope \
    && install --directory --owner=hloscope --group=hloscope --mode=700 /data
COPY requirements/image.txt /tmp/image.txt
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --require-hashes -r /tmp/image.txt \
    && pip install --no-cache-dir --no-index --no-deps /wheels/*.whl
USER hloscope
# Not a folder that holds an `app` or an `engine`: Python would import those first.
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/-/health', timeout=4)"]
CMD ["hloscope", "serve", "--host", "0.0.0.0", "--port", "8080", "--no-browser"]
