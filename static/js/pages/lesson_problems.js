/** The errors of a lesson in preview, until one of its files is saved. */
import { followRevision } from "../features/lesson/revision.js";
import { pageData } from "./common.js";

const { name, revision } = pageData();
void followRevision(name, revision);
