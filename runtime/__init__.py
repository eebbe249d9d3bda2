"""What every run needs: outcomes, budgets, child processes, compiled kernels."""
