"""What people may do with all that is kept about them."""
