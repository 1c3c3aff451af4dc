/*
 * names: the methods and the sketches by the names that users type. Each list makes the table of its module
 * (method/method.c, sketch/sketch.c), the declarations of its rows, and the help of its option (option_table.c), so
 * that a new one is added in one place. An entry is the end of its row's symbol, as in gpis_method_acc_gpis, and its
 * name.
 */
#ifndef GPIS_NAMES_H
#define GPIS_NAMES_H

/* The first proposal of the first method is what the others have to beat. */
#define GPIS_METHOD_LIST(ENTRY) \
    ENTRY(newton, "newton")     \
    ENTRY(gpis, "gpis")         \
    ENTRY(acc_gpis, "acc-gpis") \
    ENTRY(pgd, "pgd")           \
    ENTRY(apgd, "apgd")         \
    ENTRY(saga, "saga")

#define GPIS_SKETCH_LIST(ENTRY)       \
    ENTRY(count, "count")             \
    ENTRY(sparse_sign, "sparse-sign") \
    ENTRY(gaussian, "gaussian")       \
    ENTRY(srht, "srht")               \
    ENTRY(count_gauss, "count-gauss") \
    ENTRY(sample, "sample")

/* An entry as part of a text such as "auto, newton, gpis". */
#define GPIS_COMMA_NAME(symbol, name) ", " name

#endif
