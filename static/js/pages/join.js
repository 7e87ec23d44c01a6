/** Where a class comes in: the code that the teacher shows, and nothing else. */
import { html, render } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { sendJson } from "../core/api.js";
import { pageData } from "./common.js";

const LENGTH = 6;

/** Blanks and dashes are as one likes; codes have no vowels. @param {string} typed @returns {string} */
const lettersOf = (typed) => typed.toUpperCase().replace(/[^0-9A-Z]/g, "");

/** In two halves, as the teacher's page shows it. @param {string} letters */
const spaced = (letters) => (letters.length > 3 ? `${letters.slice(0, 3)} ${letters.slice(3)}` : letters);

function Join() {
  const given = lettersOf(String(pageData().code ?? ""));
  const [code, setCode] = useState(spaced(given));
  const [problem, setProblem] = useState("");
  const [isJoining, setJoining] = useState(false);
  const join = async (/** @type {string} */ typed) => {
    const letters = lettersOf(typed);
    if (letters.length !== LENGTH) return setProblem(`A code has ${LENGTH} letters and digits; this has ${letters.length}.`);
    setJoining(true);
    setProblem("");
    try {
      /** @type {import("../core/types.js").JoinedRoom} */
      const { url } = await sendJson("/api/rooms/join", { code: letters });
      location.assign(url);
    } catch (error) {
      const { message, hint } = /** @type {import("../core/api.js").ApiError} */ (error);
      setProblem([message, hint].filter(Boolean).join(" "));
      setJoining(false);
    }
  };
  useEffect(() => {
    if (given.length === LENGTH) void join(given);
  }, []);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isJoining) void join(code);
  };
  const type = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.currentTarget);
    setProblem("");
    setCode(spaced(lettersOf(field.value).slice(0, LENGTH + 2)));
  };
  return html`<form onSubmit=${submit}>
    <label for="code">The code that the teacher shows</label>
    <input id="code" type="text" inputmode="text" autocomplete="off" autocapitalize="characters" spellcheck="false" enterkeyhint="go" autofocus
      placeholder="K7D 4QM" value=${code} onInput=${type} aria-invalid=${problem !== ""} aria-describedby="join-problem" />
    <p id="join-problem" role="alert">${problem}</p>
    <button class="primary" type="submit" aria-disabled=${isJoining}>${isJoining ? "Coming in …" : "Come in"}</button>
  </form>`;
}

const root = document.getElementById("join");
if (root) render(html`<${Join} />`, root);
