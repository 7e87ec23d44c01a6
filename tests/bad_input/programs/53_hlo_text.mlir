// expect: 3:1 parse "unknown op 'HloModule'"
// hint: this is HLO text; StableHLO is what can be read
HloModule m

ENTRY main {
  ROOT a = f32[] parameter(0)
}
