/**
 * The source of a page in a notebook cell: the kernel answers. `notebook/widget.js` is the other end.
 *
 * @typedef {{position: number, process: number, selection: Selection|null}} Place
 * @typedef {{name: string, address: string, element: number[]|null, value: number, path?: number[]}} Selection
 * @typedef {{port: MessagePort, place: Place, theme: "light"|"dark"}} Cell
 */
/** @import {Source} from "./source.js" */

/** Whether the page is in a frame and contains no recording. */
export const isInCell = () => window.parent !== window;

/** The cell around the page, once it has answered. @returns {Promise<Cell>} */
export const cellAround = () =>
  new Promise((resolve) => {
    addEventListener("message", function hear({ source, data, ports: [port] }) {
      if (source !== window.parent || data?.kind !== "hello" || !port) return;
      removeEventListener("message", hear);
      resolve({ port, place: data.place, theme: data.theme });
    });
    window.parent.postMessage("hloscope: ready", "*");
  });

/** @param {MessagePort} port @param {(place: Place) => void} onPlace the kernel's code has moved @returns {Source} */
export function kernelSource(port, onPlace) {
  /** @type {Map<number, (response: Response) => void>} */
  const waiting = new Map();
  let last = 0;
  port.onmessage = ({ data }) => {
    if (data.kind === "place") return onPlace(data.place);
    waiting.get(data.id)?.(new Response(data.bytes, { status: data.status, headers: data.headers }));
    waiting.delete(data.id);
  };
  return {
    isFile: true,
    hasEngine: true,
    isWhole: true,
    fetch: (path, { method = "GET", signal }) => {
      // The position is sent to the kernel automatically, and inputs are not typed.
      if (method !== "GET") return Promise.resolve(new Response(null, { status: 204 }));
      const id = ++last;
      return new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => {
          if (waiting.delete(id)) reject(new DOMException("The question was withdrawn.", "AbortError"));
        });
        waiting.set(id, resolve);
        port.postMessage({ kind: "ask", id, path });
      });
    },
    follow: (_session, _onMessage, onChange) => {
      queueMicrotask(() => onChange(""));
      return { send: () => {}, close: () => {} };
    },
  };
}
