"""What kernels must not do: the driver for tests, which interprets PTX, finds it."""

import subprocess
import sys

import pytest

import fake_cuda

PTX = """
.version 7.8
.target sm_90
.address_size 64

.visible .entry kernel(
	.param .u64 .ptr .align 1 kernel_param_0
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<9>;
	.shared .align 16 .b8 room[124];
	ld.param.b64 	%rd1, [kernel_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd3, %r1, 4;
	add.s64 	%rd4, %rd2, %rd3;
	BODY
	ret;
}
"""
EXCHANGE = """
	st.global.b32 	[%rd4], %r1;
	BETWEEN
	xor.b32 	%r2, %r1, LANE;
	mul.wide.u32 	%rd5, %r2, 4;
	add.s64 	%rd6, %rd2, %rd5;
	ld.global.b32 	%r3, [%rd6];
"""
SHARED = """
	mov.b64 	%rd5, room;
	add.s64 	%rd6, %rd5, %rd3;
	st.shared.b32 	[%rd6], %r1;
"""

LAUNCH = """
import ctypes, sys
library, threads, blocks = sys.argv[1:]
driver = ctypes.CDLL(library)
address, context, pool, module, kernel = (ctypes.c_void_p() for _ in range(5))
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxPushCurrent_v2(context)
driver.cuMemPoolCreate(ctypes.byref(pool), None)
size = ctypes.c_size_t(256)
assert driver.cuMemAllocFromPoolAsync(ctypes.byref(address), size, pool, None) == 0
text = sys.stdin.read().encode()
assert driver.cuModuleLoadDataEx(ctypes.byref(module), text, 0, None, None) == 0
assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"kernel") == 0
given = (ctypes.c_void_p * 1)(ctypes.addressof(address))
threads, blocks = int(threads), int(blocks)
result = driver.cuLaunchKernel(
    kernel, blocks, 1, 1, threads, 1, 1, 0, None, given, None
)
said = ctypes.c_char_p()
driver.cuGetErrorString(result, ctypes.byref(said))
print(result, said.value.decode())
"""


def launched(body, threads, blocks=1):
    """Launch a kernel; return the result, and what was wrong."""
    numbers = [str(threads), str(blocks)]
    run = [sys.executable, "-c", LAUNCH, str(fake_cuda.LIBRARY), *numbers]
    ptx = PTX.replace("BODY", body)
    done = subprocess.run(run, input=ptx, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result, said = done.stdout.split(maxsplit=1)
    return int(result), said


def exchange(between, lane=1):
    """Each thread writes a number, and reads that of another one."""
    return EXCHANGE.replace("BETWEEN", between).replace("LANE", str(lane))


WARP, BLOCK = "bar.warp.sync -1;", "bar.sync 0;"


def test_lanes_wait():
    assert launched(exchange(WARP), 32)[0] == 0
    assert launched(exchange(BLOCK, lane=32), 64)[0] == 0
    assert launched(exchange("", lane=0), 64)[0] == 0


@pytest.mark.parametrize(
    "between, lane",
    [
        ("", 1),
        # A shuffle tells lanes nothing about memory.
        ("shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;", 1),
        # The threads are of two warps.
        (WARP, 32),
    ],
)
def test_races(between, lane):
    result, said = launched(exchange(between, lane), 64)
    assert result == 719
    assert "race on memory: no barrier is between thread" in said


PASSED_ON = """
	mov.u32 	%r2, %ctaid.x;
	setp.ne.s32 	%p1, %r2, 0;
	@%p1 bra 	$later;
	st.global.b32 	[%rd4], %r1;
	bar.sync 	0;
	TELL
	atom.global.add.u64 	%rd5, [%rd2+128], 1;
	bra.uni 	$end;
$later:
	atom.global.add.u64 	%rd5, [%rd2+128], 1;
	HEAR
	bar.sync 	0;
	ld.global.b32 	%r4, [%rd4];
$end:
"""
FENCE = "fence.acq_rel.gpu;"


@pytest.mark.parametrize("tell, hear", [(FENCE, FENCE), ("", FENCE), (FENCE, "")])
def test_blocks_pass_on_what_they_wrote(tell, hear):
    """What a block wrote before a fence, another one may read after a fence."""
    body = PASSED_ON.replace("TELL", tell).replace("HEAR", hear)
    result, said = launched(body, 32, blocks=2)
    assert result == (0 if tell and hear else 719)
    if result:
        assert "race on memory: no barrier is between thread" in said


def test_shared_memory_ends():
    assert launched(SHARED, 31)[0] == 0
    result, said = launched(SHARED, 32)
    assert result == 719
    assert "accesses shared memory beyond its end" in said
