"""What people say about problems to those who solved them."""
