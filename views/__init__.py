"""What people see: boards and answers as text."""
