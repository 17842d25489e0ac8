"""Who hangs on whom, who carries whom, and with what mass."""
