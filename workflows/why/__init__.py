"""Why no plan is shorter: shares, milestones, and all shortest plans, from the graph of all states."""
