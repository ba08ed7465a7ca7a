// @ts-nocheck -- it runs in browsers, of whose types the rest of the program is to see nothing
// Suggests references while the user types, and copies code. Without script, references are typed and code is selected.

const suggest = async (field, list, text, signal) => {
  const query = new URLSearchParams({ types: field.dataset.types ?? '', text }).toString();
  try {
    const response = await fetch(`${field.dataset.suggest}?${query}`, { signal, credentials: 'same-origin' });
    if (!response.ok) return;
    const found = new DOMParser().parseFromString(`<datalist>${await response.text()}</datalist>`, 'text/html');
    if (!signal.aborted) list?.replaceChildren(...found.querySelectorAll('option'));
  } catch {
    // suggestions are not needed
  }
};

for (const field of document.querySelectorAll('input[data-suggest]')) {
  const list = document.getElementById(field.getAttribute('list') ?? '');
  let timer;
  let running = new AbortController();
  field.addEventListener('input', () => {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = field.value.trim();
    if (text.length > 1 && !text.includes('/')) timer = setTimeout(() => void suggest(field, list, text, signal), 250);
  });
}

for (const code of document.querySelectorAll('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = code.dataset.copy ?? '';
  const copy = async () => {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = code.dataset.copied ?? '';
  };
  button.addEventListener('click', () => void copy());
  code.after(button);
}
