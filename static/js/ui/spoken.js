/** A polite announcement for screen readers: throttled while keys repeat, but the last one is always announced. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { afterPause } from "../core/idle.js";

/** Minimum interval between announcements, in milliseconds. */
const APART = 500;

/** @param {{text: string}} props */
export function Spoken({ text }) {
  const [said, setSaid] = useState({ text: "", at: 0 });
  useEffect(() => {
    const say = () => setSaid({ text, at: performance.now() });
    const wait = said.at + APART - performance.now();
    if (wait <= 0) return say();
    return afterPause(say, wait);
  }, [text]);
  return html`<p class="hidden" role="status">${said.text}</p>`;
}
