"""Sums of many small changes, without the loss of what a double cannot hold.

A sum is kept in two parts: `high`, the sum rounded to a double, and `low`, what the rounding left over. Added one by
one to a plain double, changes below half its spacing would never arrive.
Source: Kahan, Comm. ACM 8 (1965) 40, with the error of each sum as in Knuth, The Art of Computer Programming 2 (1969),
4.2.2, theorem B.
"""

from __future__ import annotations

from rigidsim._jit import formula


@formula
def compensated_sum(high, low, change):
    """(high', low') with high' + low' = high + low + change; high' is that sum rounded to a double.

    With d = low + change and s = high + d: low' = (high - (s - b)) + (d - b), b = s - high, which is exactly the error
    of s. What is lost is the rounding of d, an eps of the change.
    """
    d = low + change
    s = high + d
    b = s - high
    return (s, (high - (s - b)) + (d - b))
