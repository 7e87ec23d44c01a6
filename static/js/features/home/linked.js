/** A program that came in a link, as a session of one's own. */
import { sendJson } from "../../core/api.js";
import { rememberSession } from "../sessions/recents.js";

/** Make a session of it, and go to the place that the link names. @param {import("../../core/program_link.js").LinkedProgram} program */
export async function openLinked({ text, name, entry, inputs, grid, place }) {
  const { id, url } = await sendJson("/api/sessions", { text, name: name || "program.mlir", entry, inputs, grid });
  rememberSession(id, { name });
  location.assign(`${url}?${placeQuery(place)}`);
}

/** What the address of a session says of a place. @param {import("../../core/program_link.js").Place} place @returns {URLSearchParams} */
export function placeQuery({ step, process, tab, value, path, element }) {
  const query = new URLSearchParams({ step: String(step), tab });
  if (process > 0) query.set("process", String(process));
  if (value !== null) query.set("value", [value, ...path].join("."));
  if (element) query.set("element", element.join(","));
  return query;
}
