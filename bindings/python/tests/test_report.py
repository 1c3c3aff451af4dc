"""Reports: the pages of the program, from answers in memory."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest

import gpis

EVIL = "<script>hacked=1</script>"


@pytest.fixture
def frame(data):
    A, y = data
    return pd.DataFrame(A, columns=["a", "b", "c", "d", "e", EVIL]).assign(g=pd.Categorical(list("uv") * 100), y=y)


def text_of(html):
    """What a reader sees, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.DOTALL)))


def test_a_solve(frame, tmp_path):
    r = gpis.solve(frame, target="y", set=gpis.l1(4)["a":"e"], subject_to="a + b <= 0.5", intercept=True, weights=np.ones(200), ranges=0.01,
                   report=tmp_path / "full.html")
    full = (tmp_path / "full.html").read_text()
    seen = text_of(full)
    for words in ("Fit of y in A", "Solved, with a certificate", "subject to l1:4[a:e]", "subject to a + b &lt;= 0.5", "with an intercept",
                  "rows are weighted by weights", "over 200 rows and 7 columns", "Levels of g are compared with u", "Of all 200 rows",
                  "Range from", "Least allowed", "What else was considered", "Shadow price"):
        assert words in seen, words
    assert EVIL not in full and "&lt;script&gt;hacked=1" in full
    assert f'data-v="{r.x[0]:.17g}"' in full
    bare = text_of(r.report())
    assert "Residuals of single rows are not shown" in bare and "Least allowed" not in bare
    assert text_of(pickle.loads(pickle.dumps(r)).report())[30:] == bare[30:]
    assert r.report(tmp_path / "bare.html") is None and text_of((tmp_path / "bare.html").read_text())[30:] == bare[30:]


def test_with_its_problem(data):
    problem = gpis.Problem(data[0], data[1], "nonneg", offset=np.ones(200))
    seen = text_of(problem.solve().report(problem=problem))
    assert "Of all 200 rows" in seen and "an offset is subtracted from the response: offset" in seen
    summary = gpis.summarize(*data)
    assert "Residuals of single rows are not shown" in text_of(gpis.Problem(summary, set="l1:2").solve().report())


def test_of_a_file(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,u,3\n2,v,1\n5,u,2\n3,v,3\n")
    gpis.solve(tmp_path / "t.csv", target="y", categorical="b", report=tmp_path / "r.html")
    seen = text_of((tmp_path / "r.html").read_text())
    assert "Fit of y in t.csv" in seen and "Levels of b are compared with u" in seen and "without constraints" in seen


def test_of_several_responses(data):
    A, y = data
    seen = text_of(gpis.solve(A, np.c_[y, -y], "nonneg", intercept=True, penalty="l2:3").report())
    assert "for 2 responses at once" in seen and "x1 [2]" in seen and "plus 3 times the sum of the squared coefficients" in seen


def test_paths(frame, tmp_path):
    path = gpis.path(frame, target="y", points=5, intercept=True)
    seen = text_of(pickle.loads(pickle.dumps(path)).report())
    assert "Path of A" in seen and "5 of 5 points are certified" in seen and "at most the radius" in seen and "g=v" in seen
    chosen = gpis.cv(frame, target="y", penalty="l1", points=5, folds=4)
    chosen.report(tmp_path / "cv.html")
    seen = text_of((tmp_path / "cv.html").read_text())
    assert "Cross-validation of A" in seen and "Each of 4 folds" in seen and "plus the penalty, lambda, times" in seen
    assert "Solved, with a certificate" in text_of(chosen.fit.report())


def test_not_solved_is_told(data):
    r = gpis.solve(*data, "l1:2", method="apgd", max_passes=1)
    assert "Not finished: the limit of passes was reached" in text_of(r.report())


def test_a_file_that_cannot_be_written(data, tmp_path):
    r = gpis.solve(*data)
    with pytest.raises(gpis.FileError, match="cannot be written: No such file"):
        r.report(tmp_path / "nowhere" / "r.html")
    with pytest.raises(OSError, match="no such folder"):  # before the solve, which may be long
        gpis.solve(*data, report=tmp_path / "nowhere" / "r.html", progress=lambda seen: pytest.fail("it was solved"))
    assert list(tmp_path.iterdir()) == []
