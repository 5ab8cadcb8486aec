package eval

import "math"

// z bounds 95 % of a normal distribution.
const z = 1.96

// Interval is a value with where it lies at 95 % confidence.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Share is k of n by Wilson's score interval, which holds for few runs too.
func Share(k, n int) Interval {
	if n == 0 {
		return Interval{0, 0, 1}
	}
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{p, max(0, middle-half), min(1, middle+half)}
}

// student bounds 95 % of Student's distribution with n degrees of freedom: where there are
// few, a normal one is too narrow (Abramowitz and Stegun 26.7.5).
func student(n float64) float64 {
	if few := []float64{12.706, 4.303, 3.182}; int(n) <= len(few) {
		return few[int(n)-1]
	}
	z3, z5 := z*z*z, z*z*z*z*z
	return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n) + (3*z5*z*z+19*z5+17*z3-15*z)/(384*n*n*n)
}

// Mean is a mean by its standard error. One value alone has no interval: it is its own.
func Mean(values []float64) Interval {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	if n == 0 {
		return Interval{}
	}
	for _, v := range values {
		sum += v
	}
	mean := sum / n
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	half := 0.0
	if n > 1 {
		half = student(n-1) * math.Sqrt(squares/(n-1)/n)
	}
	return Interval{mean, mean - half, mean + half}
}

// To is by how much b is above a. The squares of the halves add up, those of the sides
// that face each other for shares (Newcombe's hybrid score interval).
func (a Interval) To(b Interval) Interval {
	d := b.Value - a.Value
	low := math.Hypot(b.Value-b.Low, a.High-a.Value)
	high := math.Hypot(b.High-b.Value, a.Value-a.Low)
	return Interval{d, d - low, d + high}
}
