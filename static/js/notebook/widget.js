/**
 * The debugger in a notebook cell, for anywidget: the frame of the page, and its connection to the kernel. This file is sent
 * to the browser as it is, so it imports nothing.
 *
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(content: object) => void} send
 * @property {(event: string, listener: (content: any, buffers: DataView[]) => void) => void} on
 * @property {(event: string, listener: (content: any, buffers: DataView[]) => void) => void} off
 */

const PLACE = ["position", "process", "selection"];

/** Whether the notebook around is dark, by the colour of its text. @param {HTMLElement} element */
function isDark(element) {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 128;
}

/** @param {Model} model @returns {Record<string, unknown>} */
const placeOf = (model) => Object.fromEntries(PLACE.map((name) => [name, model.get(name)]));

/** @param {{model: Model, el: HTMLElement}} cell @returns {() => void} */
function render({ model, el }) {
  const cell = Math.random().toString(36).slice(2);
  const frame = document.createElement("iframe");
  frame.title = "hloscope";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "width:100%;border:1px solid #868f99;border-radius:3px;box-sizing:border-box;resize:vertical";
  el.replaceChildren(frame);
  /** @type {MessagePort|null} */
  let port = null;
  /** The last position that the frame sent or received, as JSON; a position is sent once. */
  let known = "";

  /** Handle a message of the kernel. @param {any} content @param {DataView[]} buffers */
  function hear(content, buffers) {
    if (content.cell !== cell) return;
    const [view] = buffers;
    const bytes = view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice() : new Uint8Array();
    // The page is hloscope's own, sent by the kernel; its sandbox gives it a separate origin.
    if (content.kind === "page") frame.setAttribute("srcdoc", new TextDecoder().decode(bytes));
    else port?.postMessage({ ...content, bytes: bytes.buffer }, [bytes.buffer]);
  }

  /** Handle a message of the page. @param {any} content */
  function pass(content) {
    if (content.kind === "ask") return model.send({ ...content, cell });
    known = JSON.stringify(content.place);
    for (const name of PLACE) model.set(name, content.place[name]);
    model.save_changes();
  }

  /** A move by the kernel fires an event per changed field; sent again, it would undo a step made meanwhile. */
  function sendPlace() {
    const place = placeOf(model);
    if (JSON.stringify(place) === known) return;
    known = JSON.stringify(place);
    port?.postMessage({ kind: "place", place });
  }

  /** Greet a page that was loaded, or loaded again because the notebook moved the cell. @param {MessageEvent} event */
  function greet(event) {
    if (event.source !== frame.contentWindow || event.data !== "hloscope: ready") return;
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }) => pass(data);
    const greeting = { kind: "hello", place: placeOf(model), theme: isDark(el) ? "dark" : "light" };
    frame.contentWindow?.postMessage(greeting, "*", [channel.port2]);
  }

  const resize = () => (frame.style.height = `${model.get("height")}px`);
  resize();
  window.addEventListener("message", greet);
  model.on("msg:custom", hear);
  for (const name of PLACE) model.on(`change:${name}`, sendPlace);
  model.on("change:height", resize);
  model.send({ kind: "page", cell });
  return () => {
    window.removeEventListener("message", greet);
    model.off("msg:custom", hear);
    for (const name of PLACE) model.off(`change:${name}`, sendPlace);
    model.off("change:height", resize);
    port?.close();
  };
}

export default { render };
