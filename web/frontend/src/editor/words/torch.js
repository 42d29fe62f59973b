// Words of PyTorch with what they mean.

import { call, constant, type } from "./entries.js";

const TENSORS = [
  call("torch.empty", "(size, dtype, device)", "A tensor whose contents are arbitrary."),
  call("torch.empty_like", "(tensor)", "A tensor of the same shape, dtype and device."),
  call("torch.zeros", "(size, dtype, device)", "A tensor of zeros."),
  call("torch.zeros_like", "(tensor)", "Zeros of the same shape, dtype and device."),
  call("torch.ones", "(size, dtype, device)", "A tensor of ones."),
  call("torch.full", "(size, value, dtype, device)", "A tensor of one value."),
  call("torch.arange", "(start, end, step)", "Numbers at equal distances."),
  call("torch.cat", "(tensors, dim)", "Tensors joined along a dimension that they have."),
  call("torch.stack", "(tensors, dim)", "Tensors joined along a new dimension."),
  call("torch.split", "(tensor, size, dim)", "Parts of a tensor along a dimension, as views."),
  call("torch.reshape", "(tensor, shape)", "Another shape; a copy only where a view cannot have it."),
  call("torch.permute", "(tensor, dims)", "Dimensions in another order, as a view."),
  call("torch.gather", "(tensor, dim, index)", "Elements at given places along a dimension."),
  call("torch.where", "(condition, x, y)", "Elements of x where the condition holds, else of y."),
  call("torch.no_grad", "()", "Context in which no gradients are kept. Programs are called in one."),
];

const PRODUCTS = [
  call("torch.mm", "(x, y, out)", "Product of two matrices."),
  call("torch.bmm", "(x, y, out)", "Products of the matrices of two batches."),
  call("torch.matmul", "(x, y, out)", "Product, with leading dimensions as batches."),
  call("torch.addmm", "(bias, x, y, out)", "Product of two matrices plus a bias, in one pass."),
  call("torch.einsum", "(equation, tensors)", "Sums of products by names of dimensions."),
];

const REDUCTIONS = [
  call("torch.sum", "(x, dim, keepdim)", "Sum along dimensions, or of all."),
  call("torch.mean", "(x, dim, keepdim)", "Mean along dimensions, or of all."),
  call("torch.amax", "(x, dim, keepdim)", "Maximum along dimensions."),
  call("torch.argmax", "(x, dim, keepdim)", "Place of the maximum."),
  call("torch.cumsum", "(x, dim)", "Running sums along a dimension."),
  call("torch.sort", "(x, dim, descending)", "Values in order, and where they were."),
  call("torch.topk", "(x, k, dim)", "The k greatest values, and where they are."),
  call("torch.bincount", "(x, minlength)", "How often each whole number occurs."),
];

const ELEMENTWISE = [
  call("torch.exp", "(x, out)", "e to the x."),
  call("torch.rsqrt", "(x, out)", "One over the square root."),
  call("torch.sigmoid", "(x)", "1 / (1 + exp(-x))."),
  call("torch.tanh", "(x)", "Hyperbolic tangent."),
  call("torch.relu", "(x)", "x, or 0 where x is negative."),
  call("torch.clamp", "(x, min, max)", "x, kept within bounds."),
  call("torch.maximum", "(x, y)", "The greater of two elements."),
  call("torch.softmax", "(x, dim)", "Exponentials divided by their sum."),
];

const MODULES = [
  type("torch.nn.Module", "The base class of ModelNew."),
  call("torch.nn.Parameter", "(tensor)", "A tensor that is a parameter of its module."),
  call("torch.nn.Linear", "(in_features, out_features, bias)", "x times weight transposed, plus bias."),
  call("torch.nn.Conv2d", "(in_channels, out_channels, kernel_size)", "Convolution of images."),
  call("torch.nn.LayerNorm", "(normalized_shape, eps)", "Mean 0 and variance 1 over the last dimensions."),
  call("torch.nn.functional.linear", "(x, weight, bias)", "The function behind nn.Linear."),
  call("torch.nn.functional.conv2d", "(x, weight, bias, stride, padding)", "The function behind nn.Conv2d."),
  call("torch.nn.functional.scaled_dot_product_attention", "(query, key, value)", "Attention in one kernel."),
  call("torch.compile", "(function)", "Compiles a function when it is first called."),
];

const DTYPES = [
  ["torch.float64", "64-bit float."],
  ["torch.float32", "32-bit float."],
  ["torch.float16", "16-bit float with 10 bits of fraction."],
  ["torch.bfloat16", "16-bit float with the range of float32."],
  ["torch.int64", "64-bit integer."],
  ["torch.int32", "32-bit integer."],
  ["torch.int8", "8-bit integer."],
  ["torch.uint8", "8-bit unsigned integer."],
  ["torch.bool", "A truth value."],
].map(([label, info]) => constant(label, info));

export const TORCH = [...TENSORS, ...PRODUCTS, ...REDUCTIONS, ...ELEMENTWISE, ...MODULES, ...DTYPES];
