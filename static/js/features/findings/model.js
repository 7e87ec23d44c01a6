/** The findings that the panel lists, grouped by op. @typedef {{op: number, findings: FindingInfo[]}} Group */
/** @import {BadInputInfo, FindingGrade, FindingInfo} from "../../core/types.js" */

/** @type {readonly FindingGrade[]} */
export const GRADES = ["harmful", "masked", "neutral"];

/** The description of each grade. */
export const GRADE_WORDS = /** @type {const} */ ({
  harmful: "harmful: it reaches a result, a condition, an index or another process",
  masked: "masked: it does not reach the end of the run",
  neutral: "neutral: it looks intended",
});

/** What the badge and the chips count. */
export const COUNTED = "each op counts once for each kind of fault, however many steps have it; so does each input";

/** The number of findings of each grade. @param {readonly {grade: FindingGrade}[]} findings @returns {Record<FindingGrade, number>} */
export function countGrades(findings) {
  const counts = { harmful: 0, masked: 0, neutral: 0 };
  for (const { grade } of findings) counts[grade]++;
  return counts;
}

/**
 * Findings with one of the grades that match all words, grouped by op: the worst op first, then in execution order.
 *
 * @param {readonly FindingInfo[]} findings @param {{grades: ReadonlySet<FindingGrade>, words: string}} filter @returns {Group[]}
 */
export function groupsOf(findings, { grades, words }) {
  const isWanted = wanting(words);
  /** @type {Map<number, Group>} */
  const groups = new Map();
  for (const finding of findings) {
    if (!grades.has(finding.grade) || !isWanted(textOf(finding))) continue;
    const group = groups.get(finding.op) ?? { op: finding.op, findings: [] };
    group.findings.push(finding);
    groups.set(finding.op, group);
  }
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

/** The same for inputs. @param {readonly BadInputInfo[]} inputs @param {{grades: ReadonlySet<FindingGrade>, words: string}} filter @returns {BadInputInfo[]} */
export function inputsOf(inputs, { grades, words }) {
  const isWanted = wanting(words);
  return inputs.filter(({ sentence, grade }) => grades.has(grade) && isWanted(`${sentence} input ${grade}`));
}

/** Whether a text contains all words of a filter. @param {string} words @returns {(text: string) => boolean} */
function wanting(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => wanted.every((word) => text.toLowerCase().includes(word));
}

/** @param {Group} group @returns {number} */
const rank = ({ findings }) => Math.min(...findings.map(({ grade }) => GRADES.indexOf(grade)));

/** The text that filters search. @param {FindingInfo} finding @returns {string} */
const textOf = ({ sentence, opName, title, grade }) => `${sentence} ${opName} ${title} ${grade}`;
