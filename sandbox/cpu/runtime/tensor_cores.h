// Finds products of matrices in float16, bfloat16 or int8 that no tensor core computes.
//
// The translator lists the instructions that multiply elements of such types (translator/narrow_products.py), in modules
// without an instruction for tensor cores. What tells a product of matrices from one of vectors is that each element
// is used many times: there are many products for each byte of the arguments.
#pragma once

namespace warpcourt::cpu {

// Names the line that makes most products, if the call made enough of them.
void report_unused_tensor_cores();

}  // namespace warpcourt::cpu
