import { searchUrlOf } from '../../interaction/search/explain/url.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Language } from '../../pages/language.ts';
import { table, textField } from '../../pages/parts.ts';
import { colon } from '../definition/label.ts';
import { explainTexts } from './texts.ts';

/**
 * Explains a search (`query`: a URL, absolute or below the base) by `_explain`, with the rights of the visitor. Throws
 * the FhirError that a client would get.
 */
export async function explainPage({ engine, options, language, ask, place, pageLink }: Visit): Promise<Reply> {
  const texts = explainTexts[language];
  const { model } = engine;
  const query = options.get('query')?.trim() ?? '';
  const isOffered = model.explainScopes.size > 0;
  const answer = query === '' || !isOffered ? undefined : await ask(explained(query));
  return {
    kind: 'page',
    title: texts.title,
    styles: ['record.css', 'definitions.css'],
    body: html`<div class="card">
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      ${
        isOffered
          ? html`<form method="get" action="${pageLink('explain')}">
              ${textField({
                id: 'query',
                label: texts.query,
                hint: texts.hint,
                value: query,
                input: html`type="search"`,
              })}
              <div class="go"><button>${texts.submit}</button></div>
            </form>`
          : html`<p>${texts.notOffered}</p>`
      }
      ${answer !== undefined && explanationView(answer.json, language)}
    </div>`,
  };

  /** The target with `_explain`. Throws FhirError 400 for a URL that is no search. */
  function explained(url: string): string {
    const base = place?.base ?? '';
    const relative = (url.startsWith(base) ? url.slice(base.length) : url).replace(/^\//, '');
    searchUrlOf(model, relative, base);
    return `${relative}${relative.includes('?') ? '&' : '?'}_explain=true`;
  }
}

/**
 * The explanation of a search, which is Parameters: how it is understood, and the steps of the store if they are shown
 * to the visitor. https://hl7.org/fhir/R4/parameters.html
 */
function explanationView(parameters: JsonObject, language: Language): Html {
  const texts = explainTexts[language];
  const all = objectsOf(parameters['parameter']);
  const [searches, steps] = ['search', 'step'].map(name => all.filter(one => one['name'] === name).map(partsOf));
  const [refusal, omitted] = ['refusal', 'omitted'].map(name => valueOf(all.find(one => one['name'] === name)));
  return html`${(searches ?? []).map(one => searchView(one, language))}
  ${refusal !== undefined && html`<p class="found">${texts.refusal(refusal)}</p>`}
  ${omitted !== undefined && html`<p class="hint" lang="en">${omitted}</p>`}
  ${
    (steps?.length ?? 0) > 0 &&
    html`<h2>${texts.steps}</h2>
      <ol>
        ${(steps ?? []).map(one => stepView(one, language))}
      </ol>`
  }`;
}

/** The parts of a parameter, by name. */
type NamedParts = ReadonlyMap<string, readonly JsonObject[]>;

const partsOf = (parameter: JsonObject): NamedParts =>
  Map.groupBy(objectsOf(parameter['part']), one => String(one['name']));

/** The value of a part as text. */
function valueOf(part: JsonObject | undefined): string | undefined {
  const { valueString, valueCode, valueInteger, valueBoolean } = part ?? {};
  return asString(valueString) ?? asString(valueCode) ?? numeric(valueInteger) ?? numeric(valueBoolean);
}

const numeric = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

const textOf = (parts: NamedParts, name: string): string | undefined => valueOf(parts.get(name)?.[0]);

const numberOf = (parts: NamedParts, name: string): number | undefined => {
  const text = textOf(parts, name);
  return text === undefined ? undefined : Number(text);
};

function searchView(parts: NamedParts, language: Language): Html {
  const texts = explainTexts[language];
  const clauses = (parts.get('clause') ?? []).map(partsOf);
  const order = textOf(parts, 'sortIndex') === 'true' ? texts.indexOrder : texts.sorted;
  const by = (clause: NamedParts): string => texts.by[textOf(clause, 'by') === 'candidates' ? 'candidates' : 'index'];
  return html`<section>
    <h2>${texts.understood(textOf(parts, 'type') ?? '')}</h2>
    <ul class="facts-list">
      ${clauses.map(clause => html`<li><code>${textOf(clause, 'query')}</code> – ${by(clause)}</li>`)}
      <li>${texts.order}${colon[language]} <code>${textOf(parts, 'sort')}</code> – ${order}</li>
      ${textOf(parts, 'restricted') === 'true' && html`<li>${texts.restricted}</li>`}
    </ul>
  </section>`;
}

function stepView(parts: NamedParts, language: Language): Html {
  const texts = explainTexts[language];
  const clauses = (parts.get('clause') ?? []).map(partsOf);
  const order = (parts.get('order') ?? []).map(partsOf);
  const row = (what: string | undefined, index: string | undefined, use: Markup): Html =>
    html`<tr>
      <td><code>${what}</code></td>
      <td>${index === undefined ? texts.none : html`<code>${index}</code>`}</td>
      <td>${use}</td>
    </tr>`;
  const operation = textOf(parts, 'operation') ?? '';
  return html`<li>
    <p>
      <strong>${texts.step(operation, textOf(parts, 'type') ?? '', numberOf(parts, 'times') ?? 1)}</strong
      >${colon[language]} ${rowsText(parts, language)}
    </p>
    ${
      clauses.length + order.length > 0 &&
      table(
        texts.clause,
        [texts.clause, texts.index, texts.use],
        [
          ...clauses.map(one =>
            row(textOf(one, 'clause'), textOf(one, 'index'), html`<span lang="en">${textOf(one, 'use')}</span>`),
          ),
          ...order.map(one => {
            const index = textOf(one, 'index');
            const use = index === undefined ? texts.thenSorted : texts.inOrder;
            return row(`${texts.order}${colon[language]} ${textOf(one, 'key') ?? ''}`, index, use);
          }),
        ],
      )
    }
    ${(parts.get('statement') ?? []).map(one => statementView(partsOf(one), language))}
  </li>`;
}

function statementView(parts: NamedParts, language: Language): Markup {
  const plan = (parts.get('plan') ?? []).map(valueOf);
  const lines = [textOf(parts, 'text'), ...plan.map(line => `  ${line}`)].join('\n');
  return html`<details>
    <summary>${explainTexts[language].plan} (${rowsText(parts, language)})</summary>
    <pre class="plan" tabindex="0">${lines}</pre>
  </details>`;
}

const rowsText = (parts: NamedParts, language: Language): string =>
  explainTexts[language].rows(numberOf(parts, 'examined'), numberOf(parts, 'returned') ?? 0);
