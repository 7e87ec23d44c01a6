/** Names of the user's own code where there is little room: cut so that no two of them look the same. */
import { shownNames } from "../../core/run/value_names.js";
import { cutNames } from "../../ui/long_name.js";

/** Characters of such a name that a row shows. */
const MOST = 18;

/** @type {WeakMap<import("../../core/run/program.js").Program, ReadonlyMap<string, string>>} */
const known = new WeakMap();

/** How a row writes a name; names of the text stay as they are, for their ends differ. @param {import("../../core/run/program.js").Program} program @param {string} name @returns {string} */
export function rowName(program, name) {
  const found = known.get(program) ?? cutNames([...shownNames(program).values()], MOST);
  known.set(program, found);
  return found.get(name) ?? name;
}
