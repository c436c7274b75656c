"""The one place that knows Numba: compiled kernels, cached on disk.

With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

__all__ = ["U", "add_where_below", "jit", "lowest_bit", "popcount", "write_bits"]


_ROOT = Path(__file__).resolve().parent.parent
_OURS = re.compile(r"^(?:from|import) ((?:scopa_env|agents|experiments)[\w.]*)", re.MULTILINE)


@lru_cache(None)
def _imported(file: Path) -> tuple[Path, ...]:
    """The files of our modules that a file imports."""
    files = [
        _ROOT.joinpath(*name.split(".")).with_suffix(".py")
        for name in _OURS.findall(file.read_text("utf-8"))
    ]
    return tuple(f for f in files if f.is_file())


@lru_cache(None)
def _stamp(file: Path) -> tuple[float, int]:
    """A stamp that changes when a file, or any that it imports however indirectly, changes."""
    reached, new = {file}, [file]
    while new:
        more = {other for one in new for other in _imported(one)} - reached
        reached |= more
        new = [*more]
    stats = [one.stat() for one in reached]
    return max(s.st_mtime for s in stats), sum(s.st_size for s in stats)


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel: no bounds checks, no GIL, machine code kept on disk.

    Numba looks only at a kernel's own file when it decides whether machine code on disk is
    still good, though a kernel has the kernels of other files compiled into it. Here the newest
    of all files that its own imports decides, so that an edited rule can never live on in an old
    cache. (Modules are imported by their full names for this.)
    """
    dispatcher = numba.njit(nogil=True, boundscheck=False, error_model="numpy")(function)
    if not hasattr(dispatcher, "enable_caching"):  # NUMBA_DISABLE_JIT=1: a plain function
        return dispatcher
    # A kernel called with a literal number is not compiled once more for that number.
    template_for = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template_for(  # type: ignore[method-assign]
        [types.unliteral(arg) for arg in args], kws
    )
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # nowhere to write: compiled anew in each process
        return dispatcher
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        source = Path(inspect.getfile(function)).resolve()
        cache_file._source_stamp = _stamp(source)  # type: ignore[union-attr]
    return dispatcher


#: Marks an index that is never negative: Numba prepares every signed one for counting from the
#: end, which slows short loops down by several times.
U = np.uint64


def popcount(bits):  # type: ignore[no-untyped-def]  # as its overload: Numba compares signatures
    """How many bits are set in a non-negative 64-bit integer."""
    return int(bits).bit_count()


def lowest_bit(bits):  # type: ignore[no-untyped-def]
    """The index of the lowest bit set in a non-zero 64-bit integer."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1


def write_bits(bits, count, out, at):  # type: ignore[no-untyped-def]
    """Write the lowest bits of an integer as numbers 0 and 1: ``out[at : at + 8 * count]``."""
    for i in range(8 * count):
        out[at + i] = (bits >> i) & 1


def add_where_below(counts, number, row, bound):  # type: ignore[no-untyped-def]
    """Add a number to those of ``counts int32[16]`` at whose place ``row float32[16]`` is lower."""
    for i in range(16):
        counts[i] += number if row[i] < bound else 0


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), codegen


@overload(popcount)
def _popcount_compiled(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _ctpop(np.int64(bits))


@overload(lowest_bit)
def _lowest_bit_compiled(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _cttz(np.int64(bits))


@intrinsic
def _store_byte(typingctx: Any, bits: Any, out: Any, at: Any) -> Any:
    """Eight bits to eight numbers in one vector store, which Numba would not find by itself."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array_type = signature.args[1]
        data = context.make_array(array_type)(context, builder, args[1]).data
        element = context.get_data_type(array_type.dtype)
        flags = builder.bitcast(
            builder.trunc(args[0], ir.IntType(8)), ir.VectorType(ir.IntType(1), 8)
        )
        vector = ir.VectorType(element, 8)
        ones, zeros = ir.Constant(vector, [1] * 8), ir.Constant(vector, [0] * 8)
        place = builder.bitcast(builder.gep(data, [args[2]]), vector.as_pointer())
        builder.store(builder.select(flags, ones, zeros), place, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), codegen


@overload(write_bits)
def _write_bits_compiled(bits, count, out, at):  # type: ignore[no-untyped-def]
    def write(bits, count, out, at):  # type: ignore[no-untyped-def]
        for i in range(count):
            _store_byte(np.int64(bits) >> (8 * i), out, np.int64(at) + 8 * i)

    return write


@intrinsic
def _add_where_below(typingctx: Any, counts: Any, number: Any, row: Any, bound: Any) -> Any:
    """One vector operation; Numba would unroll the loop before it looks for one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def place(i: int) -> Any:
            data = context.make_array(signature.args[i])(context, builder, args[i]).data
            return builder.bitcast(data, ir.VectorType(data.type.pointee, 16).as_pointer())

        def spread(value: Any) -> Any:
            one = ir.Constant(ir.VectorType(value.type, 16), ir.Undefined)
            one = builder.insert_element(one, value, ir.Constant(ir.IntType(32), 0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), 16), [0] * 16)
            return builder.shuffle_vector(one, one, lanes)

        below = builder.fcmp_ordered("<", builder.load(place(2), align=4), spread(args[3]))
        old = builder.load(place(0), align=4)
        more = builder.add(old, spread(args[1]))
        builder.store(builder.select(below, more, old), place(0), align=4)
        return context.get_dummy_value()

    return types.void(counts, types.int32, row, types.float32), codegen


@overload(add_where_below)
def _add_where_below_compiled(counts, number, row, bound):  # type: ignore[no-untyped-def]
    def add(counts, number, row, bound):  # type: ignore[no-untyped-def]
        _add_where_below(counts, np.int32(number), row, np.float32(bound))

    return add
