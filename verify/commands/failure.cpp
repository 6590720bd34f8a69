#include "commands/failure.hpp"

#include "commands/session.hpp"

#include <lemmata/error.hpp>

#include <fmt/format.h>

namespace lemmata::verify {

int complain(int code, const std::string& message) {
    fmt::print(stderr, "lemmata: {}\n", message);
    return code;
}

int complain_of_current_exception() {
    try {
        throw;
    } catch (const InvalidInput& e) {
        return complain(2, e.what());
    } catch (const Interrupted& e) {
        return complain(130, e.what());
    } catch (const std::bad_alloc&) {
        return complain(3, "out of memory");
    } catch (const std::exception& e) {
        return complain(3, e.what());
    }
}

}  // namespace lemmata::verify
