"""Landmark cut: a lower bound from sets of operators of which every plan has one."""
