"""The core of the checker: it reads one problem text, and checks a plan and a lower bound. Standard library only."""
