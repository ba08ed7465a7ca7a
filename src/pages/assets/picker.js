// @ts-nocheck -- it runs in browsers, of whose types the rest of the program is to see nothing
// Searches while the user types. Without script the button does the same. Patients are shown only beside the text that
// found them: any other text clears them at once, so that no patient of an earlier search can be chosen.
const form = document.querySelector('form.search');
const field = form?.querySelector('input[type=search]');
const status = document.getElementById('status');
const results = document.getElementById('results');

if (
  form instanceof HTMLFormElement &&
  field instanceof HTMLInputElement &&
  status instanceof HTMLElement &&
  results instanceof HTMLElement
) {
  let timer;
  let running = new AbortController();
  /** The text that the shown results match; undefined if none are shown. */
  let shown = field.value.trim();

  const clear = () => {
    clearTimeout(timer);
    running.abort();
    shown = undefined;
    results.replaceChildren();
    results.removeAttribute('aria-busy');
    status.textContent = '';
    const kept = document.querySelector('form:not(.search) input[name=query]');
    if (kept instanceof HTMLInputElement) kept.value = field.value.trim();
  };

  const search = async () => {
    clear();
    running = new AbortController();
    const { signal } = running;
    const typed = field.value.trim();
    const fields = new URLSearchParams(new FormData(form));
    fields.set('do', 'search');
    fields.set('part', 'results');
    results.setAttribute('aria-busy', 'true');
    status.textContent = form.dataset.searching ?? '';
    try {
      const response = await fetch(form.action, { method: 'POST', body: fields, signal, credentials: 'same-origin' });
      if (response.redirected || response.status === 403) {
        location.assign(form.action); // the user has signed out meanwhile
        return;
      }
      if (!response.ok) throw new Error(`status ${response.status}`);
      const found = new DOMParser().parseFromString(await response.text(), 'text/html');
      if (signal.aborted) return;
      shown = typed;
      results.replaceChildren(...(found.getElementById('results')?.childNodes ?? []));
      status.textContent = found.getElementById('status')?.textContent?.trim() ?? '';
    } catch {
      if (!signal.aborted) status.textContent = form.dataset.failed ?? '';
    } finally {
      if (!signal.aborted) results.removeAttribute('aria-busy');
    }
  };

  field.addEventListener('input', () => {
    const typed = field.value.trim();
    if (typed === shown) return; // only white space has changed
    clear();
    // One letter finds too many patients for an automatic search; the button or Enter searches for it, as it may be a
    // whole name.
    if (typed.length > 1) timer = setTimeout(() => void search(), 250);
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    void search();
  });
}
