"""The pages to find and solve problems."""
