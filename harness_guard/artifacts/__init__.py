"""Exact-heading Markdown to typed artifacts and back; errors with line, rule and mend (contract section 4)."""
