// expect: 4:1 structure "the body of @main does not end with `return`"
// hint: end it with `return …`, which returns its results
func.func @main() {
}
