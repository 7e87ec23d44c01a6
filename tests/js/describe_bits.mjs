/** Describes the bits of elements as they travel, which a Python test hands over as JSON: type, wire and bytes in hex. */
import { describeBits, wordAt } from "../../static/js/core/tensor/bits.js";

const ARRAYS = {
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
};

let text = "";
for await (const chunk of process.stdin) text += chunk;
const described = JSON.parse(text).map(({ type, wire, bytes, count }) => {
  const buffer = new Uint8Array(Buffer.from(bytes, "hex")).buffer;
  const plane = new ARRAYS[wire](buffer);
  return Array.from({ length: count }, (_, index) => {
    const word = wordAt(plane, { dtype: wire, components: 1 }, type, index);
    return word === null ? null : { word: String(word), ...describeBits(word, type) };
  });
});
process.stdout.write(JSON.stringify(described));
