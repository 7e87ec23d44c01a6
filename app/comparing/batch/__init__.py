"""Compare many programs: a pool of workers, verdicts that a second run reuses, clusters by cause, and reports."""
