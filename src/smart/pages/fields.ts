import { html } from './html.ts';
import type { Html, Part } from './html.ts';
import type { Visit } from './visit.ts';

/** What is wrong with a field, by the id of the field. */
export interface FieldError {
  readonly field: string;
  readonly text: string;
}

/** All that is wrong with a form, each linked to its field; it takes the focus. Nothing where nothing is. */
export function errorSummary({ texts }: Pick<Visit, 'texts'>, errors: readonly FieldError[]): Part {
  if (errors.length === 0) return undefined;
  return html`<div class="errors" role="alert" aria-labelledby="errors" tabindex="-1" autofocus>
    <h2 id="errors">${texts.errorSummary}</h2>
    <ul>
      ${errors.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}
    </ul>
  </div>`;
}

/** A field with its label and, where there is one, what is wrong with it. */
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
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${id}-error">${error.text}</p>`}
    <input
      id="${id}"
      name="${id}"
      value="${value}"
      ${input}${described !== '' && html` aria-describedby="${described}"`}${error !== undefined && html` aria-invalid="true"`}
    />
  </div>`;
}

/** The hidden field by which a form of ours is known. */
export const tokenField = ({ token }: Pick<Visit, 'token'>): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;

/** The title of a page, which says first that something is wrong. */
export const titleOf = ({ texts }: Pick<Visit, 'texts'>, title: string, errors: readonly FieldError[]): string =>
  errors.length === 0 ? title : `${texts.titleError}: ${title}`;
