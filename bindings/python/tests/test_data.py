"""Data of every kind: the same answer, no copy where there need not be one, nothing of the caller's changed."""

import ctypes
import warnings

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gpis
from gpis import _data
from gpis._core import ffi


@pytest.fixture(autouse=True)
def strict(request):
    """A copy is a failure, unless a test is marked with `copies`; and small arrays count here."""
    if request.node.get_closest_marker("copies"):
        yield
        return
    before, _data.WARN_BYTES = _data.WARN_BYTES, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", gpis.CopyWarning)
        yield
    _data.WARN_BYTES = before


@pytest.fixture
def wanted(data):
    return gpis.solve(*data, "nonneg").x


VIEWS = {
    "C order": lambda A: A,
    "Fortran order": np.asfortranarray,
    "float32": lambda A: A.astype(np.float32),
    "float32, Fortran": lambda A: np.asfortranarray(A.astype(np.float32)),
    "columns of a wider array": lambda A: np.hstack([A, np.full((200, 3), np.nan)])[:, :6],
    "rows of a longer Fortran array": lambda A: np.asfortranarray(np.vstack([A, A]))[:200],
    "every second row": lambda A: np.repeat(A, 2, axis=0)[::2],
    "transposed": lambda A: np.ascontiguousarray(A.T).T,
    "read-only": lambda A: np.frombuffer(A.tobytes()).reshape(A.shape),
}


@pytest.mark.parametrize("kind", VIEWS)
def test_no_copy(data, wanted, kind):
    A = VIEWS[kind](data[0])
    before = A.copy()
    assert np.shares_memory(_data.matrix(A).parts["arrays"][0], A)
    assert np.allclose(gpis.solve(A, data[1], "nonneg").x, wanted, atol=1e-6)
    assert np.array_equal(A, before)


COPIED = {
    "strides in both directions": lambda A: np.asfortranarray(np.repeat(A, 2, axis=0))[::2],
    "reversed rows": lambda A: np.ascontiguousarray(A[::-1])[::-1],
    "other byte order": lambda A: A.astype(">f8"),
    "long double": lambda A: A.astype(np.longdouble),
    "unaligned": lambda A: np.frombuffer(b"x" + A.tobytes(), offset=1).reshape(A.shape),
}


@pytest.mark.parametrize("kind", COPIED)
def test_copies_are_told(data, wanted, kind):
    A = COPIED[kind](data[0])
    with pytest.warns(gpis.CopyWarning):
        x = gpis.solve(A, data[1], "nonneg").x
    assert np.allclose(x, wanted, atol=1e-9)


def test_whole_numbers(data):
    A = np.arange(1200, dtype=np.int32).reshape(200, 6) % 7
    with pytest.warns(gpis.CopyWarning, match="int32"):
        x = gpis.solve(A, data[1]).x
    assert np.allclose(x, gpis.solve(A.astype(float), data[1]).x)


def test_one_row_and_one_column(rng):
    for shape in ((1, 1), (5, 1), (1, 5)):
        for A in (rng.standard_normal(shape), np.asfortranarray(rng.standard_normal(shape))):
            y = A @ np.ones(shape[1])
            assert np.allclose(A @ gpis.solve(A, y).x, y)
    column = rng.standard_normal((10, 4))[:, 1:2]
    assert gpis.solve(column, 3 * column[:, 0]).x == pytest.approx([3])


def test_memmap(data, wanted, tmp_path):
    A, y = data
    np.save(tmp_path / "A.npy", A)
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert np.shares_memory(_data.matrix(mapped).parts["arrays"][0], mapped)
    assert np.allclose(gpis.solve(mapped, y, "nonneg").x, wanted)
    assert np.allclose(gpis.solve(mapped[:, :3], y).x, gpis.solve(A[:, :3], y).x)


def test_sparse(data, rng, wanted):
    A, y = data
    A = np.where(rng.random(A.shape) < 0.5, A, 0)
    x = gpis.solve(A, y, "nonneg").x
    csr = sparse.csr_matrix(A)
    m = _data.matrix(csr)
    assert np.shares_memory(m.parts["arrays"][0], csr.data) and np.shares_memory(m.parts["arrays"][1], csr.indices)
    for B in (csr, csr.tocsc(), csr.tocoo(), csr.astype(np.float32), sparse.csr_array(A)):
        assert np.allclose(gpis.solve(B, y, "nonneg").x, x, atol=1e-6)
    big = sparse.csr_matrix((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), shape=csr.shape)
    assert np.allclose(gpis.solve(big, y, "nonneg").x, x)
    assert np.allclose(gpis.solve(csr, y, "nonneg").predict(csr), A @ x)


def test_unsorted_sparse_stays_as_it_is(data, rng):
    A, y = data
    csr = sparse.csr_matrix(A)
    backwards = np.concatenate([np.arange(p, q)[::-1] for p, q in zip(csr.indptr[:-1], csr.indptr[1:])])
    messy = sparse.csr_matrix((csr.data[backwards], csr.indices[backwards], csr.indptr), shape=csr.shape)
    before = messy.indices.copy(), messy.data.copy(), dict(vars(messy))
    with pytest.warns(gpis.CopyWarning, match="not sorted"):
        x = gpis.solve(messy, y).x
    assert np.allclose(x, gpis.solve(A, y).x)
    assert np.array_equal(messy.indices, before[0]) and np.array_equal(messy.data, before[1])
    assert vars(messy).keys() == before[2].keys()


def test_pandas(data, wanted):
    A, y = data
    frame = pd.DataFrame(A, columns=list("abcdef"))
    assert np.shares_memory(_data.matrix(frame).parts["arrays"][0], A)
    r = gpis.solve(frame, pd.Series(y), "nonneg[a:b] & l1:9")
    assert r.names == list("abcdef") and all(r.x[:2] >= 0)
    whole = frame.assign(y=y, w=1.0, s="one")
    again = gpis.solve(whole.drop(columns="s"), target="y", weights="w", set="nonneg[a:b] & l1:9")
    assert np.allclose(again.x, r.x, atol=1e-8)
    with pytest.raises(gpis.InputError, match="column 's' has the type object.*category"):
        gpis.solve(whole, y)
    with pytest.raises(gpis.InputError, match="target='z'.*no column"):
        gpis.solve(whole.drop(columns="s"), target="z")
    numbered = gpis.solve(pd.DataFrame(A), y, "nonneg[x1]")
    assert numbered.names[0] == "x1"
    frame.iloc[3, 2] = np.nan
    with pytest.raises(gpis.InputError, match=r"row 4, column 3 \(c\) is nan"):
        gpis.solve(frame, y)


class Exchanged:
    """A table that only has the interchange protocol."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, *args, **kwargs):
        return self.frame.__dataframe__(*args, **kwargs)


def categories(rng):
    n = 120
    city = pd.Categorical(rng.choice(["Ulm", "Kiel", "Köln"], n), categories=["Ulm", "Kiel", "Köln", "Bonn"])
    frame = pd.DataFrame({"size": rng.standard_normal(n), "city": city, "floor": rng.integers(0, 9, n), "lift": rng.random(n) < 0.5})
    y = 2 * frame["size"] + 3 * (city == "Köln") - (city == "Kiel") + 0.1 * frame.floor + frame.lift
    return frame, y.to_numpy(dtype=float)


@pytest.mark.copies
def test_categories(rng):
    frame, y = categories(rng)
    for table in (frame, Exchanged(frame), Streamed(frame)):
        r = gpis.solve(table, y, intercept=True)
        assert r.names == ["size", "city=Kiel", "city=Köln", "city=Bonn", "floor", "lift"]
        assert np.allclose(r.x, [2, -1, 3, 0, 0.1, 1], atol=1e-6) and abs(r.intercept) < 1e-6
        # Another table with its levels in another order, some of them missing, and its columns in another order.
        other = frame[["lift", "city", "size", "floor"]].head(10)
        other = other.assign(city=pd.Categorical(other.city.astype(str)))
        assert np.allclose(r.predict(other), y[:10], atol=1e-6)
        assert np.allclose(r.predict(Exchanged(other)), y[:10], atol=1e-6)
        with pytest.raises(gpis.InputError, match="level 'Rom'"):
            r.predict(frame.assign(city=pd.Categorical(["Rom"] * len(frame))))
        with pytest.raises(gpis.InputError, match="no column 'floor'"):
            r.predict(frame.drop(columns="floor"))
        with pytest.raises(gpis.InputError, match="holds numbers, where a category was"):
            r.predict(frame.assign(city=1.0))
    with pytest.raises(gpis.InputError, match="row 1, column 'city' is missing"):
        gpis.solve(frame.assign(city=frame.city.where(frame.index > 0)), y)


@pytest.mark.copies
def test_interchange_kinds(rng):
    frame = pd.DataFrame({"f4": rng.standard_normal(50).astype("f4"), "u1": rng.integers(0, 200, 50).astype("u1"), "b": rng.random(50) < 0.5})
    y = frame.astype(float) @ [1.0, 2.0, 3.0]
    assert np.allclose(gpis.solve(Exchanged(frame), y).x, [1, 2, 3], atol=1e-5)
    with pytest.raises(gpis.InputError, match="column 't'"):
        gpis.solve(Exchanged(frame.assign(t="text")), y)
    with pytest.raises(gpis.InputError, match="no rows"):
        gpis.solve(Exchanged(frame.head(0)), [])


# ---- a small producer of Arrow streams ---------------------------------------------------------------------------------

FORMATS = {"f8": b"g", "f4": b"f", "i8": b"l", "i4": b"i", "i1": b"c", "u1": b"C", "u2": b"S"}


class Streamed:
    """A frame that only has __arrow_c_stream__, in pieces of 50 rows; the first of each has an offset."""

    def __init__(self, frame, holes=()):
        self.frame, self.holes, self.released = frame, holes, 0

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def schema(self, out, fmt, name=b"", children=(), dictionary=None):
        out.format, out.name = self.keep(ffi.new("char[]", fmt)), self.keep(ffi.new("char[]", name))
        out.metadata, out.flags, out.private_data = ffi.NULL, 2, ffi.NULL
        out.n_children, out.children = len(children), self.keep(ffi.new("struct ArrowSchema *[]", list(children)))
        out.dictionary = dictionary or ffi.NULL

        @ffi.callback("void(struct ArrowSchema *)")
        def release(s):
            self.released += 1
            s.release = ffi.NULL

        out.release = self.keep(release)
        return out

    def array(self, out, length, buffers, children=(), dictionary=None, offset=0, nulls=0):
        pointers = [ffi.NULL if b is None else ffi.cast("void *", self.keep(np.ascontiguousarray(b)).ctypes.data) for b in buffers]
        out.length, out.null_count, out.offset, out.private_data = length, nulls, offset, ffi.NULL
        out.n_buffers, out.buffers = len(buffers), self.keep(ffi.new("const void *[]", pointers))
        out.n_children, out.children = len(children), self.keep(ffi.new("struct ArrowArray *[]", list(children)))
        out.dictionary = dictionary or ffi.NULL

        @ffi.callback("void(struct ArrowArray *)")
        def release(a):
            self.released += 1
            a.release = ffi.NULL

        out.release = self.keep(release)
        return out

    def new(self, kind):
        return self.keep(ffi.new(f"struct {kind} *"))

    def column_schema(self, name, series):
        if series.dtype == bool:
            return self.schema(self.new("ArrowSchema"), b"b", name.encode())
        if isinstance(series.dtype, pd.CategoricalDtype):
            words = self.schema(self.new("ArrowSchema"), b"u")
            return self.schema(self.new("ArrowSchema"), b"c", name.encode(), dictionary=words)
        if series.dtype == object:
            return self.schema(self.new("ArrowSchema"), b"u", name.encode())
        return self.schema(self.new("ArrowSchema"), FORMATS[series.dtype.str[1:]], name.encode())

    def column_array(self, series, offset):
        valid, nulls = None, 0
        if series.name in self.holes:
            valid, nulls = np.packbits(np.r_[np.ones(offset), np.ones(7), 0, np.ones(len(series))].astype(bool), bitorder="little"), 1
        if series.dtype == bool:
            bits = np.packbits(np.r_[np.zeros(offset, bool), series.to_numpy()], bitorder="little")
            return self.array(self.new("ArrowArray"), len(series), [valid, bits], offset=offset, nulls=nulls)
        if isinstance(series.dtype, pd.CategoricalDtype):
            words = [c.encode() for c in series.cat.categories]
            ends = np.cumsum([0] + [len(w) for w in words]).astype("i4")
            levels = self.array(self.new("ArrowArray"), len(words), [None, ends, np.frombuffer(b"".join(words), "u1")])
            codes = np.r_[np.zeros(offset, "i1"), series.cat.codes.to_numpy()]
            return self.array(self.new("ArrowArray"), len(series), [valid, codes.astype("i1")], dictionary=levels, offset=offset, nulls=nulls)
        values = series.to_numpy() if series.dtype != object else np.zeros(len(series), "i4")
        values = np.r_[np.full(offset, 77).astype(values.dtype), values]
        return self.array(self.new("ArrowArray"), len(series), [valid, values, values], offset=offset, nulls=nulls)

    def __arrow_c_stream__(self, requested_schema=None):
        self.kept, self.at = [], 0
        stream = self.new("ArrowArrayStream")

        @ffi.callback("int(struct ArrowArrayStream *, struct ArrowSchema *)")
        def get_schema(s, out):
            self.schema(out, b"+s", children=[self.column_schema(n, self.frame[n]) for n in self.frame])
            return 0

        @ffi.callback("int(struct ArrowArrayStream *, struct ArrowArray *)")
        def get_next(s, out):
            piece = self.frame.iloc[self.at:self.at + 50]
            if not len(piece):
                out.release = ffi.NULL
                return 0
            offset = 3 if self.at == 0 else 0
            children = [self.column_array(piece[n], offset) for n in piece]
            self.array(out, len(piece), [None], children)
            self.at += 50
            return 0

        @ffi.callback("const char *(struct ArrowArrayStream *)")
        def get_last_error(s):
            return ffi.NULL

        @ffi.callback("void(struct ArrowArrayStream *)")
        def release(s):
            self.released += 100
            s.release = ffi.NULL

        stream.get_schema, stream.get_next = self.keep(get_schema), self.keep(get_next)
        stream.get_last_error, stream.release = self.keep(get_last_error), self.keep(release)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"arrow_array_stream"
        return new(int(ffi.cast("uintptr_t", stream)), self.name, None)


@pytest.mark.copies
def test_arrow(rng):
    frame = pd.DataFrame({"a": rng.standard_normal(120), "b": rng.standard_normal(120).astype("f4"), "c": rng.integers(-9, 9, 120),
                          "d": rng.integers(0, 200, 120).astype("u1"), "e": rng.random(120) < 0.5})
    y = frame.astype(float) @ [1.0, 2.0, 3.0, 4.0, 5.0]
    table = Streamed(frame)
    r = gpis.solve(table, y, "nonneg[a:c]")
    assert np.allclose(r.x, [1, 2, 3, 4, 5], atol=1e-5) and r.names == list("abcde")
    assert table.released == 100 + 1 + 3  # the stream, its schema, three pieces
    assert np.allclose(gpis.solve(Streamed(frame.assign(y=y)), target="y").x, r.x)
    with pytest.raises(gpis.InputError, match="row 8, column 'c' is missing"):
        gpis.solve(Streamed(frame, holes=["c"]), y)
    with pytest.raises(gpis.InputError, match="column 't'.*'u'"):
        gpis.solve(Streamed(frame.assign(t="word")), y)


# ---- rows that are read or made ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_h5py(data, wanted, tmp_path, kind):
    A, y = data
    with h5py.File(tmp_path / "A.h5", "w") as file:
        file.create_dataset("A", data=A.astype(kind), chunks=(32, 6), compression="gzip")
        r = gpis.solve(file["A"], y, "nonneg")  # while the file is open for writing
        assert np.allclose(r.x, wanted, atol=1e-6)
        assert np.allclose(r.predict(file["A"]), A @ r.x, atol=1e-5)
        with pytest.raises(gpis.InputError, match="1 dimensions"):
            gpis.solve(file.create_dataset("y", data=y), y)
    with h5py.File(tmp_path / "A.h5"):  # and by its path, while h5py has it open
        assert np.allclose(gpis.solve(f"{tmp_path}/A.h5:/A", y, "nonneg").x, wanted, atol=1e-6)


def test_rows(data, wanted):
    A, y = data
    calls = []

    def make(first, last):
        calls.append((first, last))
        return A[first:last]

    rows = gpis.Rows(make, A.shape, names=list("abcdef"))
    r = gpis.solve(rows, y, "nonneg[a:f]")
    assert np.allclose(r.x, wanted) and r.names == list("abcdef")
    assert sum(last - first for first, last in calls) % 200 == 0 and calls[0][0] == 0
    assert np.allclose(r.predict(rows), A @ r.x)
    with pytest.raises(gpis.UsageError, match="needs their shape"):
        gpis.solve(make, y)


@pytest.mark.copies
def test_columns_of_one_name(data, wanted):
    """Each is itself, also where the types differ, so that the frame is copied; constraints and predictions count them."""
    A, y = data
    names = ["a", "b", "a", "c", "a", "d"]
    frame = pd.DataFrame({j: A[:, j].astype(np.float32 if j == 1 else np.float64) for j in range(6)}).set_axis(names, axis=1)
    r = gpis.solve(frame, y, "nonneg")
    assert np.allclose(r.x, wanted, atol=1e-6) and r.names == names
    assert np.allclose(r.predict(frame[["b", "c", "a", "d"]]), frame.to_numpy() @ r.x)
    with pytest.raises(gpis.InputError, match="3 columns of the table have this name"):
        gpis.solve(frame, target="a")


@pytest.mark.copies
def test_responses_of_pandas(data, wanted):
    A, y = data
    assert np.allclose(gpis.solve(A, pd.Series(y, dtype="Float64"), "nonneg").x, wanted)
    assert np.allclose(gpis.solve(A, pd.DataFrame({"y": pd.array(y, dtype="Float64")}), "nonneg").x[:, 0], wanted)
    assert np.allclose(gpis.solve(A, sparse.csr_matrix(y[:, None]), "nonneg").x[:, 0], wanted)
    with pytest.raises(gpis.InputError, match="y: row 2, column 1 is nan"):
        gpis.solve(A[:3], pd.Series([1, None, 2], dtype="Int64"))
    assert np.allclose(gpis.solve(pd.DataFrame(np.c_[A, y]), set="nonneg", target=6).x, wanted)


@pytest.mark.copies
def test_models_of_files_and_of_frames(tmp_path):
    """A model predicts tables of any kind by their names, whatever kind it was made from."""
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4, 5, 7], "level %": [2, 1, 3, 2, 1, 3], "colour": list("rgbrgb"),
                          "when": pd.date_range("2020-01-01", periods=6), "y": [1.0, 3, 2, 5, 9, 4]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    file = gpis.solve(tmp_path / "t.csv", target="y", exclude="when", categorical=["level %", "colour"], intercept=True)
    wanted = file.predict(tmp_path / "t.csv")
    assert np.allclose(file.predict(frame), wanted)
    assert np.allclose(file.predict(frame.assign(colour=frame["colour"].astype("category"))[::-1]), wanted[::-1])
    with pytest.raises(gpis.InputError, match="row 2, column 'colour' has the level 'pink', which was not there before"):
        file.predict(frame.assign(colour=["r", "pink", "b", "r", "g", "b"]))
    with pytest.raises(gpis.InputError, match="row 3, column 'level %' has the level '4'"):
        file.predict(frame.assign(**{"level %": [1, 2, 4, 1, 2, 3]}))
    with pytest.raises(gpis.InputError, match="row 1, column 'colour' is missing"):
        file.predict(frame.assign(colour=[None, "g", "b", "r", "g", "b"]))
    memory = gpis.solve(frame.drop(columns="when").astype({"level %": "category", "colour": "category"}), target="y", intercept=True)
    assert np.allclose(memory.predict(tmp_path / "t.csv"), wanted)
    assert np.allclose(memory.predict(frame), wanted)


@pytest.mark.copies
def test_means_of_a_file_fill_frames(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,3\n,4,1\n5,1,2\n3,3,3\n")
    r = gpis.solve(tmp_path / "t.csv", target="y", missing="mean")
    assert np.allclose(r.predict(pd.read_csv(tmp_path / "t.csv")), r.predict(tmp_path / "t.csv"))


@pytest.mark.copies
def test_columns_of_several_levels(data, wanted):
    """Their names are joined by dots."""
    A, y = data
    frame = pd.DataFrame(A, columns=pd.MultiIndex.from_tuples([("p", f"c{j}") for j in range(A.shape[1])]))
    r = gpis.solve(frame, y, "nonneg")
    assert r.names[1] == "p.c1" and np.allclose(r.x, wanted)
    assert np.allclose(r.predict(frame.iloc[:, ::-1]), A @ r.x)
    r = gpis.solve(frame.assign(**{"q": y}), target=("q", ""), set="nonneg")
    assert r.names == [f"p.c{j}" for j in range(A.shape[1])] and np.allclose(r.x, wanted)


@pytest.mark.copies
def test_y_is_given_once(data, tmp_path):
    A, y = data
    frame = pd.DataFrame(A).add_prefix("c").assign(y=y)
    frame.to_csv(tmp_path / "d.csv", index=False)
    for table in (frame, tmp_path / "d.csv"):
        with pytest.raises(gpis.UsageError, match="twice"):
            gpis.solve(table, y, target="y")


@pytest.mark.copies
def test_rows_of_other_kinds(data, wanted):
    A, y = data
    assert np.allclose(gpis.solve(gpis.Rows(lambda a, b: sparse.csr_matrix(A[a:b]), A.shape), y, "nonneg").x, wanted)
    with pytest.raises(gpis.InputError, match="masked"):
        gpis.solve(gpis.Rows(lambda a, b: np.ma.masked_greater(A[a:b], 0), A.shape), y)


@pytest.mark.copies
def test_warnings_name_the_line_of_the_caller(rng):
    A = np.ones((2000, 200), dtype=int)
    for call in (lambda: gpis.solve(A, A[:, 0]), lambda: gpis.Problem(A), lambda: gpis.cv(A, A[:, 0] + 0.5, folds=2),
                 lambda: gpis.solve(A[:, :2], A[:, 0], subject_to=["x1 >= 0", "x1 + x2 >= -5", "x2 >= 0"])):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            call()
        assert seen and {one.filename for one in seen} == {__file__}
