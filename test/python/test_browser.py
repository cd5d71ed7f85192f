"""The page of ``nacho explore`` in a browser: Chromium without a window.

Needs the package selenium, and Debian's chromium and chromium-driver; without them,
these tests are skipped.
"""

import pytest
import scipy.sparse as sp

import nacho
from libraries import needed, program
from nacho._command import main
from nacho._pages.explore import PART_COUNTS

needed("selenium")

from selenium import webdriver  # noqa: E402, it may be missing
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

BROWSER, DRIVER = program("chromium"), program("chromedriver")

EXPRESSION = "Z[i,j] = A[i,j] + B[i,j] * C[i,j]"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    operands = []
    for seed, name in enumerate("ABC"):
        matrix = sp.random_array((60, 50), density=0.2, rng=seed, format="csr")
        nacho.write(folder / f"{name}.mtx", matrix)
        operands.append(f"{name}={folder / name}.mtx")
    target = folder / "explore.html"
    assert main(["explore", EXPRESSION, *operands, "-o", str(target)]) == 0
    return target


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    profile = tmp_path_factory.mktemp("profile")
    # Root, as in a container, has no sandbox; no page may reach the network.
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--window-size=1200,900",
    ):
        options.add_argument(argument)
    made = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield made
    made.quit()


@pytest.fixture
def opened(driver, page):
    """The page, freshly loaded. Afterwards, its console has to be empty."""
    driver.get(page.as_uri())
    yield driver
    assert driver.get_log("browser") == []


def shown(driver, selector):
    """Return the elements that can be seen; to Selenium, a level line cannot."""
    script = """return [...document.querySelectorAll(arguments[0])]
        .filter((element) => element.getClientRects().length);"""
    return driver.execute_script(script, selector)


def tabs(driver):
    return driver.find_elements(By.CSS_SELECTOR, "[role=tab]")


def test_tabs_switch(opened):
    names = [tab.text for tab in tabs(opened)]
    stages = nacho.mlir.compile(EXPRESSION).stages
    assert names == ["overview", "lattice", *stages, "assembly", "parts"]
    (panel,) = shown(opened, "[role=tabpanel]")
    assert panel.get_attribute("id") == "panel-overview"
    for tab in tabs(opened):
        tab.click()
        (panel,) = shown(opened, "[role=tabpanel]")
        assert panel.get_attribute("id") == tab.get_attribute("aria-controls")
        assert tab.get_attribute("aria-selected") == "true"
        assert len(shown(opened, "[role=tab][aria-selected=true]")) == 1
        assert panel.text.strip()


def test_tabs_switch_by_keys(opened):
    first, second, *_, last = tabs(opened)
    first.send_keys(Keys.ARROW_RIGHT)
    assert second.get_attribute("aria-selected") == "true"
    second.send_keys(Keys.ARROW_LEFT)
    first.send_keys(Keys.ARROW_LEFT)
    assert last.get_attribute("aria-selected") == "true"


def test_code_is_colored_and_says_where_it_comes_from(opened):
    opened.find_element(By.ID, "tab-loops").click()
    lines = shown(opened, "#panel-loops .line")
    kernel = nacho.mlir.compile(EXPRESSION, formats=dict.fromkeys("ABCZ", "csr"))
    assert len(lines) == len(kernel.mlir("loops").rstrip("\n").split("\n"))
    ops = {op.text for op in shown(opened, "#panel-loops .op")}
    assert {"func.func", "nacho.coiterate", "nacho.append"} <= ops
    (product,) = [line for line in lines if "nacho.binary mul" in line.text]
    assert product.find_element(By.CLASS_NAME, "from").text == "B[i,j] * C[i,j]"
    webdriver.ActionChains(opened).move_to_element(product).perform()
    marked = "".join(piece.text for piece in shown(opened, "h1 .marked"))
    assert marked.replace(" ", "") == "B[i,j]*C[i,j]"


@pytest.mark.parametrize("place", [0, 3, len(PART_COUNTS) - 1])
def test_the_slider_redraws(opened, place):
    opened.find_element(By.ID, "tab-parts").click()
    slider = opened.find_element(By.ID, "slider")
    slider.send_keys(Keys.HOME, *[Keys.ARROW_RIGHT] * place)
    parts = PART_COUNTS[place]
    assert opened.find_element(By.ID, "count").text == str(parts)
    # Over each of the three operands, the cuts between so many parts.
    assert len(shown(opened, ".pattern .cut")) == 3 * (parts - 1)
    bars = shown(opened, ".bars")
    assert [len(each.find_elements(By.CLASS_NAME, "bar")) for each in bars] == [parts]
