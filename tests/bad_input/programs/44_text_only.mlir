// expect: 3:1 parse "unknown op 'Hello'"
// hint: a program is a module, or functions: func.func @main() { … }
Hello, world!
