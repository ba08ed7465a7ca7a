import { tokenMissing } from '../../auth/refusals.ts';
import { html } from '../../pages/html.ts';
import type { Part } from '../../pages/html.ts';
import type { Reply, Visit } from '../shell/visit.ts';
import { readIndexes, usageDays, visibleTypes } from './index-rows.ts';
import type { PartitionIndexes } from './index-rows.ts';
import { indexTable, isPending, summaryTable } from './index-table.ts';
import { indexTexts } from './texts.ts';

/**
 * The indexes of a partition: the state by type, those that are being built with their progress, and those of one type
 * (`type`) with their use. Only of types of which the visitor may see every record. Throws FhirError 401 for a visitor
 * who is not signed in.
 */
export async function indexesPage(visit: Visit): Promise<Reply> {
  const { engine, language, place, access, options, link } = visit;
  const texts = indexTexts[language];
  if (place === undefined || access === undefined) throw tokenMissing(place?.base ?? '');
  const types = visibleTypes(engine.model, access);
  const wanted = types.find(({ name }) => name === options.get('type'));
  const partition = place.partition.id;
  const found = await readIndexes(engine.store, engine.model, { partition, types, now: engine.now() });
  const pending = found.rows.filter(isPending);
  const own = wanted === undefined ? [] : found.rows.filter(({ type }) => type === wanted.name);
  const to = (type: string): string =>
    link(`/explorer/${partition}/indexes?${new URLSearchParams({ type }).toString()}`);
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
      ${pending.length > 0 && indexTable(pending, language)}
      ${
        wanted !== undefined &&
        html`<h2>${wanted.name}</h2>
          ${indexTable(own, language)}`
      }
      ${
        types.length > 0 &&
        html`<h2>${texts.summary}</h2>
          ${summaryTable(found.rows, { language, link: to })}`
      }
      ${types.length > 0 && databaseList(found, visit)}
    </div>`,
  };
}

function countedText({ language }: Visit, { since }: PartitionIndexes): string {
  const texts = indexTexts[language];
  return since === undefined ? texts.notCounted : texts.since(since);
}

function databaseList({ database }: PartitionIndexes, { language }: Visit): Part {
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
