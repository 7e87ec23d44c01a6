// expect: 3:1 parse "unknown op 'import'"
// hint: a program is a module, or functions: func.func @main() { … }
import jax
print(jax.numpy.zeros(3))
