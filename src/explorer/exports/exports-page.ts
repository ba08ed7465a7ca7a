import { tokenMissing } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import { accessOf, callerOf } from '../../bulk/export/task.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { jobsOf } from '../../interaction/jobs.ts';
import type { JobRecord } from '../../jobs/job.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { operationCallOf } from '../../model/operation-call.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import {
  errorSummary,
  field,
  notice,
  options,
  table,
  textField,
  tickBox,
  titleOf,
  tokenField,
} from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import type { Reply } from '../../pages/reply.ts';
import { shortTime } from '../../pages/time-text.ts';
import { typeName } from '../../pages/type-name.ts';
import { isNone } from '../../search/simplify.ts';
import { hereOf, signInPath } from '../shell/paths.ts';
import type { Visit } from '../shell/visit.ts';
import { exportTexts } from './texts.ts';
import type { ExportTexts } from './texts.ts';

/** The path of an export below the base, without `$export`: of the system, of a type or of one record (`:id`). */
export function exportLevels(model: Model): readonly (readonly [path: string, type: ResourceType | undefined])[] {
  const operation = 'export';
  const system = operationCallOf(model, { operation }) === undefined ? [] : [['', undefined] as const];
  const types = [...model.types.values()].flatMap(type => {
    const resourceType = type.name;
    const isDeclared = (id?: string): boolean => operationCallOf(model, { operation, resourceType, id }) !== undefined;
    return [
      ...(isDeclared() ? [[`${resourceType}/`, type] as const] : []),
      ...(isDeclared('-') ? [[`${resourceType}/:id/`, type] as const] : []),
    ];
  });
  return [...system, ...types];
}

/** The types that the visitor may export: an export counts scopes of systems only (bulk/export). */
export function exportedTypes({ engine, access, place }: Visit): readonly ResourceType[] {
  if (access === undefined || place === undefined) throw tokenMissing(place?.base ?? '');
  const { model, now } = engine;
  const { partition, base } = place;
  const within = { model, base, partition: partition.id, zone: partition.settings.zone, now: now() };
  const rights = accessOf(callerOf(access), within);
  return [...model.types.values()].filter(type => !isNone(restriction(rights, type, 'r')));
}

/** The form of an export, for who may start one, and the jobs of the visitor's client. Throws FhirError 401. */
export const exportsPage = (visit: Visit): Promise<Reply> => formPage(visit, [], 200);

/** Starts an export, and leads to its page; a refused form is shown again. */
export async function exportPosted(visit: Visit): Promise<Reply> {
  const { form, ask, place, engine } = visit;
  const [since, id] = [form.get('since')?.trim() ?? '', form.get('id')?.trim() ?? ''];
  const query = new URLSearchParams();
  const types = form.getAll('type');
  if (types.length > 0) query.set('_type', types.join(','));
  if (since !== '') query.set('_since', since);
  const level = exportLevels(engine.model).find(([path]) => path === form.get('level'));
  const path = (level?.[0] ?? '').replace(':id', () => encodeURIComponent(id));
  try {
    const { response } = await ask(`${path}$export?${query.toString()}`, { headers: { prefer: 'respond-async' } });
    return { kind: 'see', path: `/explorer/${place?.partition.id ?? ''}/exports/${response.job ?? ''}` };
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500 || error.status === 401) throw error;
    const errors = error.issues.map(({ text, expression }) => ({ field: fields[expression ?? ''] ?? 'level', text }));
    return formPage(visit, errors, error.status);
  }
}

/** The fields of the form, by the expressions of issues. */
const fields: Readonly<Record<string, string>> = { 'http._since': 'since', _since: 'since' };

/** Jobs in the list. */
const mostJobs = 20;

async function formPage(visit: Visit, errors: readonly FieldError[], status: number): Promise<Reply> {
  const { engine, language, access, place } = visit;
  const words = exportTexts[language];
  const types = exportedTypes(visit);
  if (access === undefined || place === undefined) throw tokenMissing('');
  if (exportLevels(engine.model).length === 0)
    throw fhirError(404, 'not-supported', 'This server does not declare `$export`.');
  const jobs = (await jobsOf(engine, { access, ...place })).slice(0, mostJobs);
  return {
    kind: 'page',
    status,
    title: titleOf(language, words.title, errors.length > 0),
    body: html`<div class="card">
        <h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${errorSummary(language, errors)} ${types.length > 0 ? startForm(visit, types, errors) : mayNot(visit, words)}
      </div>
      <div class="card">
        <h2>${words.yours}</h2>
        ${jobs.length === 0 ? html`<p>${words.none}</p>` : jobTable(visit, jobs, words)}
      </div>`,
  };
}

function mayNot(visit: Visit, words: ExportTexts): Html {
  const { place, link } = visit;
  const to = place === undefined ? '/' : signInPath(place, hereOf(visit));
  return html`${notice(html`${words.mayNot} ${words.mayNotMore}`)}
    <p><a href="${link(to)}">${words.signIn}</a></p>`;
}

function startForm(visit: Visit, types: readonly ResourceType[], errors: readonly FieldError[]): Html {
  const { engine, language, form, pageLink } = visit;
  const words = exportTexts[language];
  const name = (type: ResourceType): string => typeName(engine.model, type.name, language);
  const levels = exportLevels(engine.model).map(([path, type]) => {
    const text = type === undefined ? words.everything : words[path.includes(':') ? 'oneOf' : 'allOf'](name(type));
    return [path, text] as const;
  });
  const chosen = new Set(form.getAll('type'));
  const box = (type: ResourceType): Html =>
    tickBox({ id: `type-${type.name}`, name: 'type', value: type.name, isTicked: chosen.has(type.name) }, name(type));
  const isOfOne = levels.some(([path]) => path.includes(':'));
  const text = (id: 'id' | 'since', hint: Markup): Html =>
    textField({
      id,
      label: words[id],
      hint,
      errors,
      value: form.get(id) ?? '',
      input: html`type="text" autocomplete="off" spellcheck="false"`,
    });
  return html`<h2>${words.start}</h2>
    <form method="post" action="${pageLink('exports')}">
      ${tokenField(visit)}
      ${field(
        { id: 'level', label: words.level, errors },
        more =>
          html`<select id="level" name="level" ${more}>
            ${options(levels, form.get('level') ?? '')}
          </select>`,
      )}
      ${isOfOne && text('id', words.idHint)}
      ${text('since', html`${words.sinceHint} <code>2026-01-31T00:00:00Z</code>`)}
      <details class="choices" ${chosen.size > 0 && html` open`}>
        <summary>${words.types}</summary>
        <p class="hint">${words.typesHint}</p>
        <fieldset class="ticks">
          <legend class="unseen">${words.types}</legend>
          ${types.map(box)}
        </fieldset>
      </details>
      <div class="go"><button>${words.submit}</button></div>
    </form>`;
}

function jobTable({ language, pageLink }: Visit, jobs: readonly JobRecord[], words: ExportTexts): Markup {
  return table(
    words.yours,
    [words.started, words.kind, words.state],
    jobs.map(
      ({ id, started, kind, state }) =>
        html`<tr>
          <th scope="row">
            <a href="${pageLink(`exports/${id}`)}">${shortTime(new Date(started).toISOString(), language)}</a>
          </th>
          <td>${words.kinds[kind] ?? kind}</td>
          <td>${words.states[state]}</td>
        </tr>`,
    ),
    { kind: 'wide-table' },
  );
}
