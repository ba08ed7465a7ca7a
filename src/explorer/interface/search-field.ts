import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { inputNames } from './fields.ts';
import type { FormField } from './fields.ts';
import type { InterfaceTexts } from './texts.ts';

/**
 * The inputs of a search parameter: its value, with a choice of prefixes and modifiers where it has them. `suggest` is
 * the path of the page that suggests references.
 */
export function fieldSet(field: FormField, words: InterfaceTexts, suggest: string): Html {
  const { param, modifiers, prefixes, example, modifier, prefix } = field;
  const names = inputNames(param.code);
  const choice = (name: string, label: string, none: string, all: readonly string[], chosen: string): Markup =>
    all.length > 0 &&
    html`<select name="${name}" aria-label="${label}">
      <option value="">${none}</option>
      ${all.map(one => html`<option ${one === chosen && html` selected`}>${one}</option>`)}
    </select>`;
  return html`<div class="field">
    <label for="${names.value}"><code>${param.code}</code> <span class="tag">${param.type}</span></label>
    <p class="hint" id="${names.value}-hint">
      ${param.description !== undefined && html`<span lang="en">${param.description}</span> `}${words.example}
      <code>${example}</code>
    </p>
    <div class="inputs">
      ${choice(names.prefix, words.prefix(param.code), '=', prefixes, prefix)} ${valueInput(field, words, suggest)}
      ${choice(names.modifier, words.modifier(param.code), words.noModifier, modifiers, modifier)}
    </div>
  </div>`;
}

function valueInput({ param, input, value }: FormField, words: InterfaceTexts, suggest: string): Html {
  const { value: name } = inputNames(param.code);
  const shared = html`id="${name}" name="${name}" aria-describedby="${name}-hint"`;
  const typed = html`autocomplete="off" autocapitalize="none" spellcheck="false" value="${value}"`;
  switch (input.kind) {
    case 'date':
      return html`<input type="date" ${shared} value="${value}" />`;
    case 'choice':
      return html`<select ${shared}>
        <option value="">${words.any}</option>
        ${[...new Set([...input.codes, ...(value === '' ? [] : [value])])].map(
          code => html`<option ${code === value && html` selected`}>${code}</option>`,
        )}
      </select>`;
    case 'suggestions':
      return html`<input type="text" ${shared} ${typed} list="${name}-list" /><datalist id="${name}-list">
          ${input.codes.map(code => html`<option value="${code}"></option>`)}
        </datalist>`;
    case 'reference':
      return html`<input
          type="text"
          ${shared}
          ${typed}
          list="${name}-list"
          data-suggest="${suggest}"
          data-types="${input.targets.join(' ')}"
        /><datalist id="${name}-list"></datalist>`;
    case 'text':
      return html`<input type="text" ${shared} ${typed} />`;
    default:
      return input satisfies never;
  }
}
