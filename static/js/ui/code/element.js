/** Elements of the editor, which draws itself. */
import { render } from "preact";

/** @param {string} tag @param {string} className @param {...(string|Node)} children */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** A card with a component. @param {string} className @param {import("preact").ComponentChild} content @returns {{dom: HTMLElement, destroy: () => void}} */
export function card(className, content) {
  const dom = element("div", className);
  render(content, dom);
  return { dom, destroy: () => render(null, dom) };
}
