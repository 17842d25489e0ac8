"""Cases with closed forms and published numbers, by which an installed copy checks itself."""
