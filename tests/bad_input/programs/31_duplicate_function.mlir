// expect: 6:11 structure "function @f is defined twice; the first definition is on line 3"
// hint: give one of them another name
func.func @f() {
  return
}
func.func @f() {
  return
}
