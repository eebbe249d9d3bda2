"""The engine `cp-sat`: bounded models of rising horizon."""
