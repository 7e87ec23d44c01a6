/** An index map without dimensions, but for the fields in `more`. */
export const map = (more) => ({
  kind: "normal",
  results: [],
  dimensions: [],
  ranges: [],
  runtimes: [],
  constraints: [],
  ...more,
});
