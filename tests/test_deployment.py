"""The files of docs/deploy: their settings exist and fit each other, and a server of these settings answers its proxy."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Any

import pytest
import yaml
from sqlalchemy.engine import make_url

from hloscope.app.base.settings import Settings
from hloscope.app.store.postgresql import DRIVER
from hloscope.app.web.main import guard_rules
from tests.app.serving import serving
from tests.server_process import ROOT

FOLDER = ROOT / "docs" / "deploy"
DOMAIN = "debug.example"
GIVEN = {"DOMAIN": DOMAIN, "POSTGRES_PASSWORD": "secret", "HLOSCOPE_TOKEN": "t" * 24}
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
Environment = dict[str, str]


def size(text: str) -> int:
    """Bytes, as all of these programs write them: 12g, 12G, 12Gi, 80MiB."""
    found = re.fullmatch(r"(\d+)([KMG])(?:iB|i)?", text, re.IGNORECASE)
    assert found, text
    return int(found[1]) * UNITS[found[2].upper()]


def compose() -> Any:
    text = (FOLDER / "compose.yaml").read_text()
    return yaml.safe_load(re.sub(r"\$\{(\w+):\?\}", lambda found: GIVEN[found[1]], text))


def chart() -> list[Any]:
    """The objects of the chart. Its templates have nothing but names of values, so this is what Helm puts there too."""
    values = {
        f".Values.{name}": str(value)
        for name, value in yaml.safe_load((FOLDER / "helm" / "values.yaml").read_text()).items()
    }
    text = (FOLDER / "helm" / "templates" / "servers.yaml").read_text()
    rendered = re.sub(
        r"\{\{ (\S+) \}\}", lambda found: (values | {".Release.Name": "hloscope"})[found[1]], text
    )
    return list(yaml.safe_load_all(rendered))


def of_unit(name: str) -> list[str]:
    """All values of a setting of the systemd unit."""
    return re.findall(rf"^{name}=(.*)$", (FOLDER / "hloscope.service").read_text(), re.MULTILINE)


def deployments() -> dict[str, tuple[Environment, int]]:
    """The environment of a server in each, without files of other machines, and the memory that it may have."""
    found: dict[str, tuple[Environment, int]] = {}
    for name in ("one", "two"):
        server = compose()["services"][name]
        found[name] = server["environment"], size(server["mem_limit"])
    (container,) = next(item for item in chart() if item["kind"] == "StatefulSet")["spec"]["template"][
        "spec"
    ]["containers"]
    of_secret = {"store": f"{DRIVER}://u:p@h/d", "token": "t" * 24}
    environment = {
        item["name"]: item.get("value") or of_secret[item["valueFrom"]["secretKeyRef"]["key"]]
        for item in container["env"]
    }
    found["chart"] = environment, size(container["resources"]["limits"]["memory"])
    (told,) = of_unit("Environment")
    stated = dict(pair.split("=", 1) for pair in told.split())
    found["unit"] = stated | {"HLOSCOPE_ALLOWED_HOSTS": f"https://{DOMAIN}"}, size(of_unit("MemoryMax")[0])
    return found


def settings_of(environment: Environment) -> Settings:
    assert environment["HLOSCOPE_SETTINGS_FILE"].endswith("hloscope.toml")
    return Settings.load([], environment | {"HLOSCOPE_SETTINGS_FILE": str(FOLDER / "hloscope.toml")})


def test_each_setting_exists_and_fits_the_machine() -> None:
    known = {f"HLOSCOPE_{name.upper()}" for name in vars(Settings())}
    for name, (environment, memory) in deployments().items():
        assert {key for key in environment if key.startswith("HLOSCOPE_")} <= known, name
        settings = settings_of(environment)
        assert settings.public == 1, name
        assert DOMAIN in " ".join(settings.host_names()), name
        values = settings.max_active_sessions * (settings.session_memory_bytes + settings.recording_bytes)
        assert values <= 0.75 * memory, f"{name}: docs/server.md says what a server needs"
    (commands,) = of_unit("ExecStart")
    assert commands.split()[1:] == ["serve", "--port", "8765", "--no-browser"]


def test_servers_share_what_they_have_to() -> None:
    found = compose()
    servers = [found["services"][name] for name in ("one", "two")]
    for server in servers:
        url = make_url(server["environment"]["HLOSCOPE_STORE"])
        database = found["services"][url.host]["environment"]
        assert url.drivername == DRIVER
        assert (url.username, url.password, url.database) == tuple(
            database[f"POSTGRES_{name}"] for name in ("USER", "PASSWORD", "DB")
        )
        (subnet,) = found["networks"]["inside"]["ipam"]["config"]
        assert ip_network(server["environment"]["FORWARDED_ALLOW_IPS"]) == ip_network(subnet["subnet"])
        assert f"data:{server['environment']['HLOSCOPE_DATA_DIR']}" in server["volumes"]
    environments = [dict(server.pop("environment")) for server in servers]
    assert servers[0] == servers[1]
    own = [environment.pop("HLOSCOPE_SERVER_ADDRESS") for environment in environments]
    assert environments[0] == environments[1]
    assert set(own) < set(environments[0]["HLOSCOPE_ALLOWED_HOSTS"].split(","))
    assert [item["kind"] for item in chart()] == [
        "Service", "PersistentVolumeClaim", "ConfigMap", "StatefulSet", "Ingress",
    ]  # fmt: skip
    kept = next(item for item in chart() if item["kind"] == "ConfigMap")["data"]["hloscope.toml"]
    lines = [line for line in (FOLDER / "hloscope.toml").read_text().splitlines() if not line.startswith("#")]
    assert kept.splitlines() == lines


@pytest.mark.parametrize("proxy", ["Caddyfile", "chart"])
def test_a_proxy_lets_through_what_a_server_accepts(proxy: str) -> None:
    settings = settings_of(deployments()["one"][0])
    body_limit = guard_rules(settings, 8080).body_limit
    paths = ("/api/pages", "/api/check", "/api/sessions/x/files", "/api/sessions/own-x/files", "/mcp")
    most = max(body_limit(path)[1] for path in paths)
    if proxy == "chart":
        notes = next(item for item in chart() if item["kind"] == "Ingress")["metadata"]["annotations"]
        assert size(notes["nginx.ingress.kubernetes.io/proxy-body-size"]) >= most
        return
    text = (FOLDER / "Caddyfile").read_text()
    told = dict(re.findall(r"^\s*(\w+) (\S+)$", text, re.MULTILINE))
    assert size(told["max_size"]) >= most
    assert size(told["max_header_size"]) >= settings.max_header_bytes
    # A connection that the server may close is not used again.
    assert int(told["keepalive"].removesuffix("s")) < settings.connection_idle_s
    names = [host.removeprefix("https://") for host in settings.host_names()]
    sites = re.findall(r"^(\S*\{\$DOMAIN\}) \{$", text, re.MULTILINE)
    assert sorted(site.replace("{$DOMAIN}", DOMAIN) for site in sites) == sorted(names)
    assert set(re.findall(r"(\w+):8080", text)) <= compose()["services"].keys()


def test_a_server_answers_as_it_is_asked_there(tmp_path: Any) -> None:
    """The probes of the proxies, by the name of the public host."""
    probes = [
        container[kind]["httpGet"]
        for container in next(item for item in chart() if item["kind"] == "StatefulSet")["spec"]["template"][
            "spec"
        ]["containers"]
        for kind in ("livenessProbe", "readinessProbe")
    ]
    asked = {probe["path"] for probe in probes} | {"/-/ready"}
    assert f"health_uri {max(asked)}" in (FOLDER / "Caddyfile").read_text()
    environment = deployments()["one"][0]
    settings = settings_of(environment)
    told: dict[str, Any] = {"public": 1, "allowed_hosts": settings.allowed_hosts, "min_free_bytes": 0}
    with serving(tmp_path, signed_in=False, **told) as client:
        for path in asked:
            assert client.get(path, headers={"Host": DOMAIN}).json() == {"status": "ok"}
            assert client.get(path, headers={"Host": "another.example"}).status_code == 403
