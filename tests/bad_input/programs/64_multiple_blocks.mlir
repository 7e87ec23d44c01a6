// expect: 4:3 parse "unknown op 'cf.br'"
// hint: ops of the dialect 'cf' are not known here
func.func @main() {
  cf.br ^end
^end:
  return
}
