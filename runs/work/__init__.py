"""Everything that answers runs: the supervisor of a machine, its cluster's tasks, one run's execution."""
