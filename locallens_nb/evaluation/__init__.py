"""Questions whose answers are known, asked of a brain, and what came of it in numbers."""
