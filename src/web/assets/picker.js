// @ts-nocheck -- it runs in browsers, of whose types the rest of the program is to see nothing
// Searches while somebody types. Without it the button does the same.
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
  let shown = field.value.trim();

  const search = async () => {
    const typed = field.value.trim();
    if (typed === shown || typed.length < 2) return;
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const fields = new URLSearchParams(new FormData(form));
    fields.set('do', 'search');
    fields.set('part', 'results');
    results.setAttribute('aria-busy', 'true');
    try {
      const response = await fetch(form.action, { method: 'POST', body: fields, signal, credentials: 'same-origin' });
      if (response.redirected || response.status === 403) {
        location.assign(form.action); // signed out meanwhile
        return;
      }
      if (!response.ok) throw new Error(`status ${response.status}`);
      const found = new DOMParser().parseFromString(await response.text(), 'text/html');
      if (signal.aborted) return;
      shown = typed;
      results.replaceChildren(...(found.getElementById('results')?.childNodes ?? []));
      status.textContent = found.getElementById('status')?.textContent?.trim() ?? '';
      const kept = document.querySelector('form:not(.search) input[name=query]');
      if (kept instanceof HTMLInputElement) kept.value = typed;
    } catch {
      if (!signal.aborted) status.textContent = form.dataset.failed ?? '';
    } finally {
      if (!signal.aborted) results.removeAttribute('aria-busy');
    }
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(), 250);
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    clearTimeout(timer);
    shown = '';
    void search();
  });
}
