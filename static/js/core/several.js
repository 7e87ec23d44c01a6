/** Requests for the parts of a whole. */

/** Requests at the same time. */
const AT_ONCE = 4;

/** All parts, some of them loaded at the same time. @template T @param {number} count @param {(number: number) => T|Promise<T>} fetchOne @returns {Promise<T[]>} */
export async function inOrder(count, fetchOne) {
  /** @type {T[]} */
  const found = new Array(count);
  let next = 0;
  const work = async () => {
    for (let number = next++; number < count; number = next++) found[number] = await fetchOne(number);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work));
  return found;
}
