"""The engine `csp`: the rising horizon with python-constraint."""
