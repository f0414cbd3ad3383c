// The index of the search is most of what a first page would load: it is asked for when somebody uses the page.
const { open, send } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (method, address, ...rest) {
  this.isIndex = String(address).endsWith("search/search_index.json");
  return open.call(this, method, address, ...rest);
};
XMLHttpRequest.prototype.send = function (...body) {
  if (!this.isIndex) return send.apply(this, body);
  const signs = ["pointerdown", "keydown", "focusin"];
  const go = () => {
    for (const sign of signs) removeEventListener(sign, go);
    send.apply(this, body);
  };
  for (const sign of signs) addEventListener(sign, go);
};

// The button that copies a block of code is no place to go to.
new MutationObserver(() => {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
}).observe(document.documentElement, { childList: true, subtree: true });
