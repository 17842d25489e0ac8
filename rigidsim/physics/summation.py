"""Compensated sums of many small changes.

A sum has two parts: `high`, the sum rounded to a double, and `low`, the rounding error. Added one by one to a single
double, changes below half its spacing would be lost.
Source: Kahan, Comm. ACM 8 (1965) 40; Higham, Accuracy and Stability of Numerical Algorithms (2002), 4.3.
"""

from __future__ import annotations

from rigidsim.jit import formula


@formula
def compensated_sum(high, low, change):
    """(high', low') with high' + low' = high + low + change; high' is that sum rounded to a double.

    With d = low + change: high' = high + d, low' = d - (high' - high), which is exactly the rounding error of high' if
    |d| <= |high|. The loss is at most an eps of the change: the rounding of d and, for a change that is larger than the
    sum, that of the difference.
    """
    d = low + change
    total = high + d
    return (total, d - (total - high))
