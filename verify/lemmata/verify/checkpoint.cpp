#include <lemmata/error.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/file.hpp>

#include <cstring>
#include <fstream>
#include <sstream>

namespace lemmata::verify {
namespace {

const std::string magic = "lemmata checkpoint 1\n";

// Numbers in and out in one order; matrices carry their shape.
class Packer {
public:
    void add(double x) { numbers.push_back(x); }
    void add(const Eigen::MatrixXd& x) {
        add(static_cast<double>(x.rows()));
        add(static_cast<double>(x.cols()));
        numbers.insert(numbers.end(), x.data(), x.data() + x.size());
    }
    void add(const Estimate& x) {
        add(x.value);
        add(x.error);
        add(x.kind == ErrorKind::standard ? 1 : 0);
    }
    std::vector<double> numbers;
};

class Unpacker {
public:
    explicit Unpacker(const std::vector<double>& numbers) : numbers_(numbers) {}
    double number() {
        if (at_ >= numbers_.size()) damaged();
        return numbers_[at_++];
    }
    template <typename Integer = int>
    Integer integer() {
        const double x = number();
        if (!(x >= 0 && x < 9e15)) damaged();
        return static_cast<Integer>(x);
    }
    Eigen::MatrixXd matrix() {
        const auto rows = integer<Eigen::Index>(), columns = integer<Eigen::Index>();
        if (static_cast<double>(rows) * static_cast<double>(columns) > static_cast<double>(numbers_.size() - at_))
            damaged();
        Eigen::MatrixXd x = Eigen::Map<const Eigen::MatrixXd>(numbers_.data() + at_, rows, columns);
        at_ += static_cast<std::size_t>(x.size());
        return x;
    }
    Estimate estimate() {
        const double value = number(), error = number();
        return {value, error, number() == 1 ? ErrorKind::standard : ErrorKind::bound};
    }

private:
    [[noreturn]] static void damaged() {
        throw InvalidInput("checkpoint", "shorter than it says",
                           "a complete checkpoint (delete the folder to start anew)");
    }
    const std::vector<double>& numbers_;
    std::size_t at_ = 0;
};

}  // namespace

void save(const std::filesystem::path& file, const Checkpoint& checkpoint) {
    std::string text = magic + checkpoint.identity + '\n';
    const std::size_t header = text.size(), bytes = checkpoint.numbers.size() * sizeof(double);
    text.resize(header + bytes);
    std::memcpy(text.data() + header, checkpoint.numbers.data(), bytes);
    write_file(file, text);
}

std::optional<std::vector<double>> load(const std::filesystem::path& file, const std::string& identity) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    std::ostringstream buffer;
    buffer << in.rdbuf();
    const std::string text = buffer.str();
    const auto end = text.find('\n', magic.size());
    if (text.compare(0, magic.size(), magic) != 0 || end == std::string::npos ||
        (text.size() - end - 1) % sizeof(double) != 0)
        throw InvalidInput(file.string(), "not a checkpoint", "a checkpoint of this program, or no such file");
    const std::string found = text.substr(magic.size(), end - magic.size());
    if (found != identity)
        throw InvalidInput(file.string(), "a checkpoint of another run: " + found, "this one: " + identity);
    std::vector<double> numbers((text.size() - end - 1) / sizeof(double));
    std::memcpy(numbers.data(), text.data() + end + 1, numbers.size() * sizeof(double));
    return numbers;
}

std::vector<double> pack(const Path& path) {
    Packer out;
    out.add(path.heads);
    out.add(path.features);
    out.add(path.next_step);
    out.add(static_cast<double>(path.knots.size()));
    for (const Knot& knot : path.knots) {
        out.add(knot.tau);
        for (const auto* part : {&knot.x, &knot.slope, &knot.bulge0, &knot.bulge1}) out.add(Eigen::MatrixXd(*part));
        out.add(knot.loss);
    }
    return out.numbers;
}

Path unpack_path(const std::vector<double>& numbers) {
    Unpacker in(numbers);
    Path path;
    path.heads = in.integer();
    path.features = in.integer();
    path.next_step = in.number();
    path.knots.resize(in.integer<std::size_t>());
    for (Knot& knot : path.knots) {
        knot.tau = in.number();
        for (auto* part : {&knot.x, &knot.slope, &knot.bulge0, &knot.bulge1}) *part = in.matrix();
        knot.loss = in.estimate();
    }
    return path;
}

std::vector<double> pack(const SgdRun& run) {
    Packer out;
    out.add(static_cast<double>(run.state.steps));
    out.add(run.state.k);
    out.add(Eigen::MatrixXd(run.state.b));
    out.add(run.state.v);
    out.add(static_cast<double>(run.records.size()));
    for (const SgdRecord& record : run.records) {
        out.add(static_cast<double>(record.steps));
        out.add(record.overlaps.m);
        out.add(record.overlaps.q);
        out.add(record.overlaps.p);
        out.add(Eigen::MatrixXd(record.b));
        out.add(record.v);
        out.add(record.loss);
    }
    return out.numbers;
}

SgdRun unpack_sgd_run(const std::vector<double>& numbers) {
    Unpacker in(numbers);
    SgdRun run;
    run.state.steps = in.integer<std::uint64_t>();
    run.state.k = in.matrix();
    run.state.b = in.matrix();
    run.state.v = in.number();
    run.records.resize(in.integer<std::size_t>());
    for (SgdRecord& record : run.records) {
        record.steps = in.integer<std::uint64_t>();
        record.overlaps.m = in.matrix();
        record.overlaps.q = in.matrix();
        record.overlaps.p = in.matrix();
        record.b = in.matrix();
        record.v = in.number();
        record.loss = in.estimate();
    }
    return run;
}

}  // namespace lemmata::verify
