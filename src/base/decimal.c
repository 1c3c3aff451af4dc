/*
 * The double nearest to w * 10^e, for a 64-bit integer w.
 *
 * w < 2^53, |e| <= 22    Both w and 10^|e| are doubles, so one multiplication or division rounds the exact result.
 * others, |e| <= 48      Let m 2^b <= 10^e < (m + 1) 2^b with 2^63 <= m < 2^64, from a table, and shift w so that its
 *                        first bit is set. The exact mantissa is then in [w m, w m + w), an interval that is short
 *                        against the last bit of a double: w m has 127 or 128 bits, of which a double keeps 53. If the
 *                        whole interval rounds to the same double, that is the answer. Otherwise the caller has to
 *                        compute with more digits. For 0 <= e <= 27 the table is exact, and the interval is one point.
 */
#include "base/decimal.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define MAX_EXPONENT 48
enum { EXACT_DOUBLE = 22, EXACT_TABLE = 27 };

static const uint64_t mantissas[] = {
    0xbb127c53b17ec159, 0xe9d71b689dde71af, 0x9226712162ab070d, 0xb6b00d69bb55c8d1, 0xe45c10c42a2b3b05,
    0x8eb98a7a9a5b04e3, 0xb267ed1940f1c61c, 0xdf01e85f912e37a3, 0x8b61313bbabce2c6, 0xae397d8aa96c1b77,
    0xd9c7dced53c72255, 0x881cea14545c7575, 0xaa242499697392d2, 0xd4ad2dbfc3d07787, 0x84ec3c97da624ab4,
    0xa6274bbdd0fadd61, 0xcfb11ead453994ba, 0x81ceb32c4b43fcf4, 0xa2425ff75e14fc31, 0xcad2f7f5359a3b3e,
    0xfd87b5f28300ca0d, 0x9e74d1b791e07e48, 0xc612062576589dda, 0xf79687aed3eec551, 0x9abe14cd44753b52,
    0xc16d9a0095928a27, 0xf1c90080baf72cb1, 0x971da05074da7bee, 0xbce5086492111aea, 0xec1e4a7db69561a5,
    0x9392ee8e921d5d07, 0xb877aa3236a4b449, 0xe69594bec44de15b, 0x901d7cf73ab0acd9, 0xb424dc35095cd80f,
    0xe12e13424bb40e13, 0x8cbccc096f5088cb, 0xafebff0bcb24aafe, 0xdbe6fecebdedd5be, 0x89705f4136b4a597,
    0xabcc77118461cefc, 0xd6bf94d5e57a42bc, 0x8637bd05af6c69b5, 0xa7c5ac471b478423, 0xd1b71758e219652b,
    0x83126e978d4fdf3b, 0xa3d70a3d70a3d70a, 0xcccccccccccccccc, 0x8000000000000000, 0xa000000000000000,
    0xc800000000000000, 0xfa00000000000000, 0x9c40000000000000, 0xc350000000000000, 0xf424000000000000,
    0x9896800000000000, 0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000,
    0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000,
    0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000,
    0x878678326eac9000, 0xa968163f0a57b400, 0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8,
    0xcecb8f27f4200f3a, 0x813f3978f8940984, 0xa18f07d736b90be5, 0xc9f2c9cd04674ede, 0xfc6f7c4045812296,
    0x9dc5ada82b70b59d, 0xc5371912364ce305, 0xf684df56c3e01bc6, 0x9a130b963a6c115c, 0xc097ce7bc90715b3,
    0xf0bdc21abb48db20, 0x96769950b50d88f4, 0xbc143fa4e250eb31, 0xeb194f8e1ae525fd, 0x92efd1b8d0cf37be,
    0xb7abc627050305ad, 0xe596b7b0c643c719, 0x8f7e32ce7bea5c6f, 0xb35dbf821ae4f38b, 0xe0352f62a19e306e,
    0x8c213d9da502de45, 0xaf298d050e4395d6,
};

/* The mantissa is in [product, product + error), an integer of 128 bits; rounds it to 53 bits times 2^*shift. */
static bool round_mantissa(wide product, uint64_t error, uint64_t *rounded, int *shift) {
    *shift = product >> 127 ? 75 : 74;
    const wide unit = (wide)1 << *shift, rest = product & (unit - 1), half = unit / 2;
    const bool down = rest + error<half, up = rest> half && rest + error < unit;
    *rounded = (uint64_t)(product >> *shift) + up;
    return down || up;
}

/* 2^exponent, which must be a normal number. */
static double power_of_two(int64_t exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool gpis_decimal(uint64_t w, int64_t exponent, double *out) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w < UINT64_C(1) << 53 && exponent >= -EXACT_DOUBLE && exponent <= EXACT_DOUBLE) {
        *out = exponent < 0 ? (double)w / power[-exponent] : (double)w * power[exponent];
        return true;
    }
    if (w == 0 || exponent < -MAX_EXPONENT || exponent > MAX_EXPONENT) {
        *out = 0;
        return w == 0;
    }
    const int zeros = __builtin_clzll(w);
    const wide product = (wide)(w << zeros) * mantissas[exponent + MAX_EXPONENT];
    const bool exact = exponent >= 0 && exponent <= EXACT_TABLE;
    uint64_t rounded;
    int shift;
    if (!round_mantissa(product, exact ? 0 : w << zeros, &rounded, &shift)) return false;
    const int64_t floor_log2 = exponent * 217706 / 65536 - (exponent * 217706 % 65536 < 0); /* of 10^exponent */
    *out = (double)rounded * power_of_two(shift - zeros + floor_log2 - 63);
    return true;
}
