/** The server's drawing of a step, for printing; a saved page prints its own pictures. */
import * as store from "../../core/store.js";
import { pictureAddress } from "./addresses.js";

/** The drawing from the server, requested synchronously so that it is in the page when this returns. @returns {string|null} */
export function drawing() {
  if (store.run.peek() === null) return null;
  const asked = new XMLHttpRequest();
  asked.open("GET", pictureAddress({ lines: "false" }), false);
  try {
    asked.send();
  } catch {
    return null; // without a server, the page itself is printed
  }
  if (asked.status !== 200) return null;
  const bytes = new TextEncoder().encode(asked.responseText);
  return `data:image/svg+xml;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
