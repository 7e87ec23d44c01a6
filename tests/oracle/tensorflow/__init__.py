"""Programs of TensorFlow: their functions, what exports them, and what came out."""
