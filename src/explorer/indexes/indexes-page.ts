import { tokenMissing } from '../../auth/refusals.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import { sizeText } from '../record/values/primitive.ts';
import { timeText } from '../../pages/time-text.ts';
import { filterTypes } from '../shell/type-filter.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { readIndexes, readStates, usageDays, visibleTypes } from './index-rows.ts';
import type { IndexStates, PartitionIndexes } from './index-rows.ts';
import { indexTable, isPending, sizeTable, sizes, summaryTable, total, typeOf } from './index-table.ts';
import type { Sizes } from './index-table.ts';
import { Recent } from './recent.ts';
import { indexTexts } from './texts.ts';

/** The states by partition; older ones are shown once more. */
const states = new Recent<IndexStates>(30_000);

/**
 * The indexes of a partition: the state by type, those that are being built with their progress, and those of one type
 * (`type`) with their use. Only of types whose records the visitor may all see. Throws FhirError 401 for a visitor
 * who is not signed in.
 */
export async function indexesPage(visit: Visit): Promise<Reply> {
  const { engine, parts, requestId, language, place, access, options, pageLink } = visit;
  const texts = indexTexts[language];
  if (place === undefined || access === undefined) throw tokenMissing(place?.base ?? '');
  const types = visibleTypes(engine.model, access);
  const wanted = types.find(({ name }) => name === options.get('type'));
  const partition = place.partition.id;
  const { store, model, now } = engine;
  const failed = (error: unknown): void => parts.log.fault(error, requestId);
  const known = await states.get(parts, partition, { measure: () => readStates(store, partition), now, failed });
  const found = await readIndexes(store, model, { known, types, now: now() });
  const measured =
    found.isAlone && types.length > 0
      ? sizes.last(parts, '', { measure: () => store.indexes.database({ sizes: true }), now, failed })
      : undefined;
  const shown = measured?.of.filter(one => types.some(({ name }) => name === (typeOf(one) ?? name))) ?? [];
  const pending = found.rows.filter(isPending);
  const own = wanted === undefined ? [] : found.rows.filter(({ type }) => type === wanted.name);
  const listed = filterTypes(visit, types, pageLink('indexes'));
  const names = new Set(listed.shown.map(({ name }) => name));
  const to = (type: string): string => pageLink(`indexes?${new URLSearchParams({ type }).toString()}`);
  const hidden = [...model.types.keys()].filter(name => !types.some(type => type.name === name));
  const count = found.rows.length;
  const state =
    pending.length === 0 ? texts.allReady(count) : texts.somePending(count - pending.length, pending.length);
  return {
    kind: 'page',
    title: texts.title,
    styles: ['record.css', 'definitions.css'],
    body: html`<div class="card">
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead(usageDays)}</p>
      <p role="status">${types.length === 0 ? texts.none : `${state} ${countedText(visit, found)}`}</p>
      ${hidden.length > 0 && notice(texts.notShown(hidden))} ${pending.length > 0 && indexTable(pending, language)}
      ${
        wanted !== undefined &&
        html`<h2>${wanted.name}</h2>
          ${indexTable(own, language)}`
      }
      ${
        types.length > 0 &&
        html`<h2>${texts.summary}</h2>
          ${listed.filter}
          ${summaryTable(
            found.rows.filter(({ type }) => names.has(type)),
            { language, link: to, sizes: shown },
          )}`
      }
      ${found.isAlone && types.length > 0 && sizesCard(measured && { ...measured, of: shown }, wanted?.name, language)}
      ${types.length > 0 && databaseList(found, visit)}
    </div>`,
  };
}

function countedText({ language }: Visit, { since }: PartitionIndexes): string {
  const texts = indexTexts[language];
  return since === undefined ? texts.notCounted : texts.since(since);
}

/** The size of all, and of the indexes of all types or of the chosen one. */
function sizesCard(measured: Sizes | undefined, wanted: string | undefined, language: Language): Markup {
  const texts = indexTexts[language];
  if (measured === undefined) return html`<p>${texts.measuring}</p>`;
  const listed = measured.of.filter(one => (typeOf(one) ?? wanted) === wanted);
  const bytes = total(measured.of);
  return html`<h2>${texts.sizes}</h2>
    ${
      bytes !== undefined &&
      html`<p>
        ${texts.measured(sizeText(bytes, { language }), timeText(new Date(measured.at).toISOString(), language))}
      </p>`
    }
    <p class="hint">${texts.sizesHint}</p>
    ${listed.length > 0 && sizeTable(listed, language)}`;
}

function databaseList({ database }: PartitionIndexes, { language }: Visit): Markup {
  const texts = indexTexts[language];
  return (
    database.length > 0 &&
    html`<h2>${texts.database}</h2>
      <ul>
        ${database.map(
          ({ collection, name, state }) =>
            html`<li><code>${collection}.${name}</code>: ${texts.databaseStates[state]}</li>`,
        )}
      </ul>`
  );
}
