input_t = tuple
output_t = tuple
