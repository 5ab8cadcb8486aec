//go:build !linux

package sandbox

// Kernel reports that only Linux confines programs in the way of this package.
func Kernel() Support {
	const why = "only Linux has Landlock"
	return Support{Why: why, WhyNoMounts: why}
}
