#include "cli/cli.h"

int main(int argc, char** argv) { return ravel::run_cli(argc, argv); }
