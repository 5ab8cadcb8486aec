package panicgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPanicIsRaisedByWait(t *testing.T) {
	var c Group
	stop := make(chan struct{})
	c.Go(func() { <-stop }, nil)
	c.Go(func() { panic("broken") }, func() { close(stop) })
	defer func() {
		require.Contains(t, recover(), "broken")
	}()
	c.Wait()
	t.Fatal("Wait returned")
}

func TestWithoutAPanicWaitReturns(t *testing.T) {
	var c Group
	n := make(chan int, 2)
	c.Go(func() { n <- 1 }, nil)
	c.Go(func() { n <- 2 }, nil)
	c.Wait()
	require.Equal(t, 3, <-n+<-n)
}
