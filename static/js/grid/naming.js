/** Processes in sentences. */

const MOST_NAMES = 6;

/** "(0, 1), (0, 2) and (0, 3)"; of many the first. @param {{nameOf: (process: number) => string}} grid @param {readonly number[]} processes @param {number} [most] @returns {string} */
export function namesOf(grid, processes, most = MOST_NAMES) {
  if (processes.length === 0) return "nobody";
  const shown = processes.slice(0, processes.length > most ? most - 1 : most).map((process) => grid.nameOf(process));
  const more = processes.length - shown.length;
  const names = more > 0 ? [...shown, `${more} more`] : shown;
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
