import { html } from '../../pages/html.ts';
import type { Html, Part } from '../../pages/html.ts';
import type { Visit } from './visit.ts';

/** An error of a field, by the id of the field. */
export interface FieldError {
  readonly field: string;
  readonly text: string;
}

/** The errors of a form, each linked to its field; the summary takes the focus. Empty without errors. */
export function errorSummary({ texts }: Pick<Visit, 'texts'>, errors: readonly FieldError[]): Part {
  if (errors.length === 0) return undefined;
  return html`<div class="errors" role="alert" aria-labelledby="errors" tabindex="-1" autofocus>
    <h2 id="errors">${texts.errorSummary}</h2>
    <ul>
      ${errors.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}
    </ul>
  </div>`;
}

/** A field with its label and, if there is one, its error. */
export function textField(field: {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
  readonly errors: readonly FieldError[];
  /** More attributes. */
  readonly input: Html;
}): Html {
  const { id, label, hint, value = '', errors, input } = field;
  const error = errors.find(one => one.field === id);
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const invalid = error !== undefined && html` aria-invalid="true"`;
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${id}-error">${error.text}</p>`}
    <input
      id="${id}"
      name="${id}"
      value="${value}"
      ${input}${described !== '' && html` aria-describedby="${described}"`}${invalid}
    />
  </div>`;
}

/** The hidden field with the CSRF token. */
export const tokenField = ({ token }: Pick<Visit, 'token'>): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;

/** The title of a page, which begins with a mark if there are errors. */
export const titleOf = ({ texts }: Pick<Visit, 'texts'>, title: string, errors: readonly FieldError[]): string =>
  errors.length === 0 ? title : `${texts.titleError}: ${title}`;
