"""Sums of many small changes, without the loss of what a double cannot hold.

A sum is kept in two parts: `high`, the sum rounded to a double, and `low`, what the rounding left over. Added one by
one to a plain double, changes below half its spacing would never arrive.
Source: Kahan, Comm. ACM 8 (1965) 40; Higham, Accuracy and Stability of Numerical Algorithms (2002), 4.3.
"""

from __future__ import annotations

from rigidsim._jit import formula


@formula
def compensated_sum(high, low, change):
    """(high', low') with high' + low' = high + low + change; high' is that sum rounded to a double.

    With d = low + change: high' = high + d, low' = d - (high' - high), which is exactly what the rounding of high' left
    over, if |d| <= |high|. What is lost is at most an eps of the change: the rounding of d and, for a change that is
    larger than the sum, that of the difference.
    """
    d = low + change
    total = high + d
    return (total, d - (total - high))
