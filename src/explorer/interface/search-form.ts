import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { badge, field as labelled, options, textField, tickBox } from '../../pages/parts.ts';
import { sortKindOf } from '../../search/sort-value.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { QueryPair } from '../../search/request.ts';
import type { Visit } from '../shell/visit.ts';
import { formFields, inputNames } from './fields.ts';
import type { FormField } from './fields.ts';
import { texts } from './texts.ts';
import type { InterfaceTexts } from './texts.ts';

/** The form of a type's search: a field for each search parameter, then order, page size and included records. */
export function searchForm(visit: Visit, type: ResourceType): Html {
  const { engine, pageLink, language } = visit;
  const words = texts[language];
  const query = parsePairs(visit.options.toString());
  const fields = formFields(engine.model, type, query);
  return html`<h2>${words.search(type.name)}</h2>
    <p class="hint">${words.searchHint}</p>
    <form class="query-form" method="get" action="${pageLink(`types/${type.name}/search`)}">
      <div class="fields">${fields.map(field => fieldSet(field, words, pageLink('suggest')))}</div>
      ${includes(type, query, words)}
      <div class="fields">
        ${order(type, valueOf(query, '_sort'), words)} ${count(type, valueOf(query, '_count'), words)}
      </div>
      <div class="go"><button>${words.submit}</button></div>
    </form>`;
}

/**
 * The inputs of a search parameter: its value, with a choice of prefixes and modifiers where it has them. `suggest` is
 * the path of the page that suggests references.
 */
function fieldSet(field: FormField, words: InterfaceTexts, suggest: string): Html {
  const { param, modifiers, prefixes, example, modifier, prefix } = field;
  const names = inputNames(param.code);
  const choice = (name: string, label: string, none: string, all: readonly string[], chosen: string): Markup =>
    all.length > 0 &&
    html`<select name="${name}" aria-label="${label}">
      ${options([['', none], ...all.map(one => [one, one] as const)], chosen)}
    </select>`;
  const description = param.description !== undefined && html`<span lang="en">${param.description}</span> `;
  return labelled(
    {
      id: names.value,
      label: html`<code>${param.code}</code>${badge(param.type)}`,
      hint: html`${description}${words.example} <code>${example}</code>`,
    },
    attributes =>
      html`<div class="inputs">
        ${choice(names.prefix, words.prefix(param.code), '=', prefixes, prefix)}
        ${valueInput(field, words, suggest, attributes)}
        ${choice(names.modifier, words.modifier(param.code), words.noModifier, modifiers, modifier)}
      </div>`,
  );
}

function valueInput(
  { param, input, value }: FormField,
  words: InterfaceTexts,
  suggest: string,
  attributes: Html,
): Html {
  const { value: name } = inputNames(param.code);
  const shared = html`id="${name}" name="${name}"${attributes}`;
  const typed = html`autocomplete="off" autocapitalize="none" spellcheck="false" value="${value}"`;
  switch (input.kind) {
    case 'date':
      return html`<input type="date" ${shared} value="${value}" />`;
    case 'choice': {
      const codes = [...new Set([...input.codes, ...(value === '' ? [] : [value])])];
      return html`<select ${shared}>
        ${options([['', words.any], ...codes.map(code => [code, code] as const)], value)}
      </select>`;
    }
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

const valueOf = (query: readonly QueryPair[], name: string): string => query.find(([key]) => key === name)?.[1] ?? '';

function order({ parameters, sortIndexes }: ResourceType, chosen: string, words: InterfaceTexts): Html {
  const sortable = [...parameters.values()].filter(param => sortKindOf(param) !== undefined);
  const indexed = sortable.filter(({ type, code }) => type === 'date' || sortIndexes.has(code));
  const codes = [...new Set(['_lastUpdated', ...[...indexed, ...sortable].map(({ code }) => code)])];
  const orders = codes.flatMap(code => [
    [code, words.ascending(code)] as const,
    [`-${code}`, words.descending(code)] as const,
  ]);
  return labelled(
    { id: '_sort', label: words.order },
    () =>
      html`<select id="_sort" name="_sort">
        ${options([['', words.newest], ...orders], chosen)}
      </select>`,
  );
}

const count = ({ pageSize }: ResourceType, chosen: string, words: InterfaceTexts): Html =>
  textField({
    id: '_count',
    label: words.count,
    value: chosen,
    input: html`type="number" min="1" max="${pageSize.max}" placeholder="${pageSize.default}"`,
  });

function includes(
  { includes: { forward, reverse } }: ResourceType,
  query: readonly QueryPair[],
  words: InterfaceTexts,
): Markup {
  const all = [
    ...[...forward].map(value => ['_include', value] as const),
    ...[...reverse].map(value => ['_revinclude', value] as const),
  ];
  if (all.length === 0) return undefined;
  const box = ([name, value]: readonly [string, string], at: number): Html => {
    const isChosen = query.some(([key, given]) => key === name && given === value);
    return tickBox({ id: `include-${at}`, name, value, isTicked: isChosen }, html`<code>${name}=${value}</code>`);
  };
  return html`<details class="choices">
    <summary>${words.including}</summary>
    <fieldset class="ticks">
      <legend class="unseen">${words.included}</legend>
      ${all.map(box)}
    </fieldset>
  </details>`;
}
