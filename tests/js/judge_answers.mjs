/** Judges answers to the questions of op pages, which a Python test hands over as JSON pairs of a question and an answer. */
import { verdict } from "../../static/js/features/reference/answers.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
process.stdout.write(JSON.stringify(JSON.parse(text).map(([question, answer]) => verdict(question, answer))));
