/** The few drawings on buttons; lines in the colour of the text. */
import { html } from "htm/preact";

const DRAWINGS = {
  continue: [["solid", "M4 2.5v11l9-5.5z"]],
  reverse: [["solid", "M12 2.5v11L3 8z"]],
  pause: [["", "M5 3v10M11 3v10"]],
  over: [["", "M2 8.5a6 6 0 0 1 11-2.5M13.5 2.5V6.5h-4"], ["solid", "M8 10.5a1.6 1.6 0 1 0 .01 0z"]],
  backOver: [["", "M14 8.5a6 6 0 0 0-11-2.5M2.500 2.5V6.500h4"], ["solid", "M8 10.5a1.6 1.6 0 1 0 .01 0z"]],
  into: [["", "M8 1.500v7M4.800 5.500 8 8.700l3.200-3.200"], ["solid", "M8 11.200a1.600 1.600 0 1 0 .01 0z"]],
  out: [["", "M8 9V2M4.800 5 8 1.800 11.200 5"], ["solid", "M8 11.200a1.600 1.600 0 1 0 .01 0z"]],
  back: [["", "M9.500 3.500 5 8l4.500 4.500M5 8h9M2 3v10"]],
  wait: [["solid", "M2.500 3v10l6.500-5z"], ["", "M11 3v10M14 3v10"]],
  restart: [["", "M3.200 9.500a5 5 0 1 0 .600-4M3.500 2v3.700h3.700"]],
  line: [["", "M2 13h12M8 2v7M5 6.200 8 9.200l3-3"]],
  share: [["", "M6.500 9.500l3-3M7 4.500l1.500-1.500a2.800 2.800 0 0 1 4 4L11 8.500M9 11.500 7.500 13a2.800 2.800 0 0 1-4-4L5 7.500"]],
  presenter: [["", "M2 3h12v8H2zM8 11v3M5 14h6"]],
  inputs: [["", "M2 4h7M13 4h1M2 8h2M8 8h6M2 12h6M12 12h2M11 2.500v3M6 6.500v3M10 10.500v3"]],
  previous: [["", "M10 3.500 5.500 8l4.500 4.500"]],
  next: [["", "M6 3.500 10.500 8 6 12.500"]],
  close: [["", "M4 4l8 8M12 4l-8 8"]],
  help: [["", "M6 6a2 2 0 1 1 2.800 1.800c-.5.300-.8.700-.8 1.400M8 11.700v.01"]],
};

/** @param {{name: keyof typeof DRAWINGS}} props */
export function Icon({ name }) {
  const paths = DRAWINGS[name].map(([kind, d]) => html`<path class=${kind} d=${d} />`);
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths}</svg>`;
}
