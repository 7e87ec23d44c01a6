// expect: 4:3 parse "unknown op 'cf.br'"
// hint: ops of the dialect 'cf' are unknown
func.func @main() {
  cf.br ^end
^end:
  return
}
