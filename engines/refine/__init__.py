"""Plan refinement over the task: means-ends analysis."""
