/** Canvases at the screen's density, and the page's colours for them. */

/** A canvas in CSS pixels, empty. @param {HTMLCanvasElement} canvas @param {{width: number, height: number}} size @returns {CanvasRenderingContext2D|null} */
export function clearCanvas(canvas, { width, height }) {
  const density = window.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density))];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext("2d");
  context?.setTransform(density, 0, 0, density, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** The canvas, with these pixels. @param {HTMLCanvasElement} canvas @param {Uint32Array} pixels @param {{width: number, height: number}} size */
export function withPixels(canvas, pixels, { width, height }) {
  [canvas.width, canvas.height] = [width, height];
  const bytes = new Uint8ClampedArray(/** @type {ArrayBuffer} */ (pixels.buffer));
  canvas.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
  return canvas;
}

/** The page's colours by token, each read once. @param {HTMLElement} element @returns {(token: string) => string} */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (token) => {
    const found = known.get(token) ?? style.getPropertyValue(token).trim();
    known.set(token, found);
    return found;
  };
}
