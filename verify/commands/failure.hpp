// What a failure tells the user, and the exit code it becomes:
//   2 bad input, 3 could not finish, 130 interrupted
#pragma once

#include <string>

namespace lemmata::verify {

// Prints the one line on standard error; returns the code.
int complain(int code, const std::string& message);
// The same for the exception being handled. Call it within a catch block.
int complain_of_current_exception();

}  // namespace lemmata::verify
