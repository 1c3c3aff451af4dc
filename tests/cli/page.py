"""Looks at a report in headless Chromium: page.py PAGE HOSTILE_NAME FIGURES_WITH_A_POINTER

Loads the page, sorts its table, reads values by pointer and by keys, and checks that nothing is loaded, run or logged
that should not be, that it fits a desktop, a phone and two sheets of paper, that dark differs from light, and that labels do not
lie over each other. Prints what is wrong; nothing where all is well.
"""
import base64
import hashlib
import re
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

page, hostile, pointers = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
trouble = []


def check(holds, text):
    if not holds:
        trouble.append(text)


def browser(folder):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for name in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync",
                 "disable-background-networking", "disable-component-update", "disable-dev-shm-usage",
                 "hide-scrollbars", "user-data-dir=" + folder):
        options.add_argument("--" + name)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def texts(column):
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#coefficients tbody tr'), r => r.cells[arguments[0]].textContent)", column)


def numbers(column):
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#coefficients tbody tr'), r => Number(r.cells[arguments[0]].dataset.v))", column)


def check_policy(source):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', source).group(1)
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        content = re.search("<%s>(.*?)</%s>" % (tag, tag), source, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        check("%s 'sha256-%s'" % (rule, digest) in policy, "the policy does not allow the page's own " + tag)
    check("default-src 'none'" in policy, "the policy allows other things")
    check("http:" not in source and "https:" not in source, "the page names the network")


def check_hostile():
    if not hostile:
        return
    check(hostile in texts(0), "the name %r is not shown as it is: %r" % (hostile, texts(0)))
    check(driver.execute_script("return document.scripts.length") == 1, "there is more than one script")
    check(driver.execute_script("return document.querySelectorAll('img,iframe,object,link,form,base,[src],[onload],[onerror],[onclick]').length") == 0,
          "text from the data has become elements or handlers")
    check(driver.execute_script("return window.hacked === undefined"), "text from the data was run")


def check_sorting():
    if not driver.find_elements(By.ID, "coefficients"):
        return
    heads = driver.find_elements(By.CSS_SELECTOR, "#coefficients thead button")
    before = sorted(texts(0))
    heads[0].click()
    names = texts(0)
    collated = driver.execute_script("return arguments[0].slice().sort((a, b) => a.localeCompare(b, undefined, {numeric: true}))", before)
    check(names == collated, "sorting by name gives %r" % names)
    heads[1].click()
    check(numbers(1) == sorted(numbers(1), reverse=True), "sorting by coefficient gives %r" % numbers(1))
    heads[1].send_keys(Keys.ENTER)
    check(numbers(1) == sorted(numbers(1)), "sorting again by key gives %r" % numbers(1))
    state = driver.execute_script("return document.querySelectorAll('#coefficients th')[1].getAttribute('aria-sort')")
    check(state == "ascending", "the order is not told: %r" % state)


def check_pointer(figure):
    svg = driver.find_element(By.CSS_SELECTOR, "#%s > svg" % figure)
    readout = driver.find_element(By.CSS_SELECTOR, "#%s .readout" % figure)
    rows = driver.execute_script(
        "return Array.from(document.querySelectorAll('#%s details tbody tr'), r => Array.from(r.cells, c => c.textContent))" % figure)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", svg)
    ActionChains(driver).move_to_element(svg).perform()
    check(any(": " in readout.text and row[0] in readout.text for row in rows), "%s: the pointer reads %r" % (figure, readout.text))
    driver.execute_script("arguments[0].focus()", svg)
    ActionChains(driver).send_keys(Keys.HOME).perform()
    check(rows[0][0] in readout.text and rows[0][-1] in readout.text or len(rows[0]) > 12,
          "%s: the first point reads %r, not %r" % (figure, readout.text, rows[0]))
    ActionChains(driver).send_keys(Keys.END).perform()
    check(rows[-1][0] in readout.text, "%s: the last point reads %r, not %r" % (figure, readout.text, rows[-1]))


def check_figures():
    for svg in driver.find_elements(By.CSS_SELECTOR, "figure > svg"):
        ids = svg.get_attribute("aria-labelledby").split()
        said = [driver.execute_script("return document.getElementById(arguments[0]).textContent", one) for one in ids]
        check(svg.get_attribute("role") == "img" and len(said) == 2 and all(said), "a figure has no text alternative")
    overlaps = driver.execute_script("""
        const found = [];
        for (const svg of document.querySelectorAll('figure > svg')) {
            const boxes = Array.from(svg.querySelectorAll('text'), t => [t.textContent, t.getBoundingClientRect()]);
            for (let i = 0; i < boxes.length; i++)
                for (let j = i + 1; j < boxes.length; j++) {
                    const a = boxes[i][1], b = boxes[j][1];
                    if (a.width && b.width && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
                        found.push(boxes[i][0] + ' / ' + boxes[j][0]);
                }
        }
        return found;""")
    check(not overlaps, "labels lie over each other: %r" % overlaps)


def check_width():
    for one in driver.find_elements(By.CSS_SELECTOR, "div.scroll"):
        if not one.is_displayed() or one.find_elements(By.XPATH, "ancestor::figure"):
            continue  # the numbers of a figure may be many
        wide, room = driver.execute_script("return [arguments[0].scrollWidth, arguments[0].clientWidth]", one)
        check(wide <= room, "a table is %d pixels wide, and there is room for %d" % (wide, room))


def check_media():
    colour = "return getComputedStyle(document.body).backgroundColor"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    light = driver.execute_script(colour)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    check(driver.execute_script(colour) != light, "dark is as light")
    printed = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
    sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
    check(1 <= sheets <= 2, "it prints on %d sheets" % sheets)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True})
    driver.get("file://" + page)
    width = driver.execute_script("return document.documentElement.scrollWidth")
    check(width <= 390, "it is %d pixels wide on a phone" % width)


def check_log():
    check(driver.get_log("browser") == [], "the console has messages")
    asked = [line["message"] for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]]
    urls = [re.search('"request":.*?"url":"([^"]*)', one).group(1) for one in asked]
    check(all(url.startswith(("file://", "data:,")) for url in urls), "it loads %r" % urls)


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    driver = browser(folder)
    try:
        driver.set_window_size(1100, 900)
        driver.get("about:blank")
        driver.get_log("performance")  # what the browser itself has loaded
        driver.get("file://" + page)
        with open(page, encoding="utf-8") as file:
            check_policy(file.read())
        check_hostile()
        check_sorting()
        for one in filter(None, pointers):
            check_pointer(one)
        check_figures()
        check_width()
        check_media()
        check_log()
    finally:
        driver.quit()
print("\n".join(trouble), end="\n" if trouble else "")
