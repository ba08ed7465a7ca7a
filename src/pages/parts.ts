import { html } from './html.ts';
import type { Html, Markup } from './html.ts';
import type { Language } from './language.ts';
import { pageTexts } from './texts.ts';

/** The hidden field with the CSRF token, in each form that is posted. */
export const tokenField = ({ token }: { readonly token: string }): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;

/** An error of a field, by the id of the field. */
export interface FieldError {
  readonly field: string;
  readonly text: string;
}

/** The errors of a form, each linked to its field; the summary takes the focus. Empty without errors. */
export function errorSummary(language: Language, errors: readonly FieldError[]): Markup {
  if (errors.length === 0) return undefined;
  return html`<div class="errors" role="alert" aria-labelledby="errors" tabindex="-1" autofocus>
    <h2 id="errors">${pageTexts[language].errorSummary}</h2>
    <ul>
      ${errors.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}
    </ul>
  </div>`;
}

/** The title of a page, which begins with a mark if there are errors. */
export const titleOf = (language: Language, title: string, hasErrors: boolean): string =>
  hasErrors ? `${pageTexts[language].titleError}: ${title}` : title;

/** What is around the control of a field. */
export interface FieldParts {
  /** The id of the control. */
  readonly id: string;
  readonly label: Markup;
  readonly hint?: Markup;
  /** The errors of the form; the one of this field is shown. */
  readonly errors?: readonly FieldError[];
}

/**
 * A field: a label, a hint and an error around its control, which is made with attributes that lead screen readers to
 * the hint and the error.
 */
export function field({ id, label, hint, errors = [] }: FieldParts, control: (attributes: Html) => Html): Html {
  const error = errors.find(one => one.field === id);
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const invalid = error !== undefined && html` aria-invalid="true"`;
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${id}-error">${error.text}</p>`}
    ${control(html`${described !== '' && html` aria-describedby="${described}"`}${invalid}`)}
  </div>`;
}

/** A field of one line. `input`: the type and more attributes; `name`: the name in the form, if it is not the id. */
export const textField = ({
  name,
  value = '',
  input,
  ...parts
}: FieldParts & { readonly name?: string; readonly value?: string; readonly input: Html }): Html =>
  field(
    parts,
    attributes => html`<input ${input} id="${parts.id}" name="${name ?? parts.id}" value="${value}" ${attributes} />`,
  );

/** A box to tick, with its label. */
export const tickBox = (
  box: { readonly id: string; readonly name: string; readonly value: string; readonly isTicked: boolean },
  label: Markup,
): Html =>
  html`<div class="tick">
    <input type="checkbox" id="${box.id}" name="${box.name}" value="${box.value}" ${box.isTicked && html` checked`} />
    <label for="${box.id}">${label}</label>
  </div>`;

/** The options of a `select`: values with their texts, one of them chosen. */
export const options = (values: readonly (readonly [value: string, text: string])[], chosen: string): Markup =>
  values.map(
    ([value, text]) =>
      html`<option${value !== text && html` value="${value}"`}${value === chosen && html` selected`}>${text}</option>`,
  );

/**
 * A table that scrolls in its own frame where the window is narrow; `label` is its name for screen readers. Keyboards
 * can scroll it too. A heading that is a text becomes a cell. `kind` is the class of the frame: `wide-table` fills the
 * page with cells that wrap.
 */
export function table(
  label: string,
  headings: readonly (string | Html)[],
  rows: readonly Html[],
  { kind = 'scroll', tree = false }: { readonly kind?: 'scroll' | 'wide-table'; readonly tree?: boolean } = {},
): Html {
  return html`<div class="${kind}" tabindex="0" role="region" aria-label="${label}">
    <table ${tree && html` class="tree"`}>
      <thead>
        <tr>
          ${headings.map(heading => (typeof heading === 'string' ? html`<th scope="col">${heading}</th>` : heading))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The link to a view of a thing. */
export interface PageTab {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Links between the views of a thing, one of which may be the current page. */
export const tabs = (label: string, views: readonly PageTab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${views.map(
        ({ href, text, isCurrent }) =>
          html`<li><a href="${href}" ${isCurrent && html` aria-current="page"`}>${text}</a></li>`,
      )}
    </ul>
  </nav>`;

/** A word beside a title or a value: its state, its kind. `language`: that of the word if it is not the page's. */
export const badge = (text: Markup, language?: string): Html =>
  html` <span class="tag" ${language !== undefined && html` lang="${language}"`}>${text}</span>`;

/** A remark about what a page does not show. */
export const notice = (content: Markup): Html => html`<p class="hint" role="note">${content}</p>`;

/** Terms with their values; those without a value are left out. */
export const facts = (all: readonly (readonly [term: string, value: Markup])[]): Html =>
  html`<dl class="facts">
    ${all.map(
      ([term, value]) =>
        value !== undefined &&
        value !== false &&
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
