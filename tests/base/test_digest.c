/* BLAKE2b against digests made by b2sum -l 256 of coreutils, in pieces of any length. */
#include "base/digest.h"

#include "support.h"

static const struct {
    int64_t length;
    const char *digest;
} KNOWN[] = {{0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
             {1, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"},
             {3, "3d8c3d594928271f44aad7a04b177154806867bcf918e1549c0bc16f9da2b09b"},
             {127, "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
             {128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
             {129, "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
             {255, "d9ef0fc521b4266d16df662bec231bc2ec3989e7adeaf63169c295dc239dbbea"},
             {256, "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
             {257, "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904"},
             {1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"},
             {100000, "916cfaa800ee55811e82095babeb88ea29c9ef8a36e8d7e20c7b772c344c9e1c"}};

static void known_digests(void **state) {
    (void)state;
    enum { MAX_BYTES = 100000 };
    static const int64_t pieces[] = {1, 7, 64, 127, 128, 129, 1000, MAX_BYTES};
    unsigned char *bytes = malloc(MAX_BYTES), out[GPIS_DIGEST_BYTES];
    char text[2 * GPIS_DIGEST_BYTES + 1];
    assert_non_null(bytes);
    for (int i = 0; i < MAX_BYTES; i++) bytes[i] = (unsigned char)(i % 251);
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++) {
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            gpis_digest digest;
            gpis_digest_start(&digest);
            for (int64_t at = 0; at < KNOWN[k].length; at += pieces[p])
                gpis_digest_add(&digest, bytes + at, gpis_min64(pieces[p], KNOWN[k].length - at));
            gpis_digest_finish(&digest, out);
            for (int i = 0; i < GPIS_DIGEST_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", out[i]);
            assert_string_equal(text, KNOWN[k].digest);
        }
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_digests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
