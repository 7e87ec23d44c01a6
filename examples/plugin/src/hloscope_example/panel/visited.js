/** A panel that keeps a list of the tensors that the user has visited, with the range and mean of each. */

/**
 * @param {HTMLElement} element the panel's own, empty
 * @param {{subscribe: (listener: (view: any) => void) => () => void, get: (path: string) => Promise<any>}} hloscope
 * @returns {() => void} removes what it has added
 */
export function mount(element, hloscope) {
  const list = document.createElement("ol");
  element.append(list);
  let latest = "";

  const stop = hloscope.subscribe(async ({ value, step }) => {
    if (value === null || value.address === latest) return;
    latest = value.address;
    const summary = await hloscope.get(`values/${value.address}`);
    if (latest !== value.address) return;
    const item = document.createElement("li");
    item.textContent = `step ${step}: ${value.name} ${summary.text}`;
    list.prepend(item);
  });

  return () => {
    stop();
    list.remove();
  };
}
