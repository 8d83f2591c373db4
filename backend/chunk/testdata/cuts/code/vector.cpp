#include <cmath>
#include "vector.h"

namespace geo {

// A point or a direction.
template <typename T>
class Vector : public Base<T> {
public:
    Vector(T x, T y) : x_(x), y_(y) {}
    ~Vector() = default;

    T length() const { return std::sqrt(x_ * x_ + y_ * y_); }

    /* Compares to the last bit. */
    bool operator==(const Vector &o) const {
        return x_ == o.x_ && y_ == o.y_;
    }

private:
    T x_, y_;
};

#ifdef FAST
double dot(const Vector<double> &a, const Vector<double> &b) {
#else
double dot(Vector<double> a, Vector<double> b) {
#endif
    return a.x() * b.x() + a.y() * b.y();
}

struct segment *segment_new(int from, int to)
{
    return new segment{from, to};
}

} // namespace geo

void geo::Grid::clear() {
    cells.clear();
}
