import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';

/**
 * A table that scrolls in its own frame where the window is narrow; `label` is its name for screen readers, `kind` its
 * class. Keyboards can scroll it too.
 */
export function scrollTable(label: string, headings: readonly string[], rows: readonly Html[], kind = ''): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${headings.map(heading => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
