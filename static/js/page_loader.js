/* In a page that is a file: unpacks its style and its code, which the page's policy knows by its hash, and runs that. */
(async () => {
  /** @param {string} name @returns {Promise<string>} */
  const textOf = async (name) => {
    const packed = atob(document.querySelector(`script[data-part="${name}"]`)?.textContent ?? "");
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  };
  try {
    const [code, style] = await Promise.all([textOf("code"), textOf("style")]);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
    const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("hloscope-page", {
      createScript: (/** @type {string} */ text) => text,
    });
    const script = document.createElement("script");
    script.type = "module";
    script.textContent = policy ? policy.createScript(code) : code;
    document.head.append(script);
  } catch (error) {
    const said = document.getElementById("app");
    if (said)
      said.textContent = `This page cannot be opened: the browser is too old for it, or the file is damaged. ${error}`;
  }
})();
