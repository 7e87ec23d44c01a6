/** What is made once and kept: for an object as long as it lives, or the last of many by key. */

/**
 * A function whose result for an object is made once.
 *
 * @template {object} K @template V @param {(of: K) => V} make @returns {(of: K) => V}
 */
export function keptFor(make) {
  /** @type {WeakMap<K, V>} */
  const known = new WeakMap();
  return (of) => {
    const found = known.get(of) ?? make(of);
    known.set(of, found);
    return found;
  };
}

/** Enter a value as the last one of a map, in which only the last `most` stay. @template K @template V @param {Map<K, V>} map @param {K} key @param {V} value @param {number} most @returns {V} */
export function keepLast(map, key, value, most) {
  map.delete(key);
  map.set(key, value);
  for (const old of map.keys()) if (map.size > most) map.delete(old);
  return value;
}

/** Append to the list of a key. @template K @template V @param {Map<K, V[]>} lists @param {K} key @param {V} item */
export function addTo(lists, key, item) {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
