/* What a path goes through: radii, or the LAMBDA of a penalty. */
#include <string.h>

#include "cli.h"

bool cli_penalty_lacks_lambda(const char *text) {
    return strncmp(text, "l1", 2) == 0 && (text[2] == '\0' || text[2] == ',');
}

bool cli_is_path_of_radii(const cli_common *common) {
    for (int64_t i = 0; common->path && i < cli_problem_count(common, "penalty"); i++)
        if (cli_penalty_lacks_lambda(cli_problem_text_at(common, "penalty", i))) return false;
    return common->path;
}
