/** Runs before each test file. */
