"""What runs inside the sandbox, beside the submission."""
