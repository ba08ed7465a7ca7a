import { tokenMissing } from '../../auth/refusals.ts';
import { fhirError } from '../../fhir/error.ts';
import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { jobsOf } from '../../interaction/jobs.ts';
import { isUnfinished } from '../../jobs/job.ts';
import type { JobRecord } from '../../jobs/job.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { table, tokenField } from '../../pages/parts.ts';
import type { Reply } from '../../pages/reply.ts';
import { timeText } from '../../pages/time-text.ts';
import { sizeText } from '../record/values/primitive.ts';
import { download } from '../shell/download.ts';
import type { Visit } from '../shell/visit.ts';
import { exportTexts } from './texts.ts';
import type { ExportTexts } from './texts.ts';

const pathOf = ({ params }: Visit): string => {
  const parts = [params['job'], params['file']].filter(part => part !== undefined);
  return `_jobs/${parts.map(encodeURIComponent).join('/')}`;
};

/** A job of the visitor's client: its state, then its files. Throws FhirError 401, 403 and 404 as a poll does. */
export async function jobPage(visit: Visit): Promise<Reply> {
  const { engine, access, place, params, language, pageLink } = visit;
  const words = exportTexts[language];
  if (access === undefined || place === undefined) throw tokenMissing(place?.base ?? '');
  const job = (await jobsOf(engine, { access, ...place })).find(({ id }) => id === params['job']);
  // The error of a job that failed is shown here; every other one is that of a client.
  const manifest = job?.failure === undefined ? (await visit.ask(pathOf(visit))).json : {};
  if (job === undefined) throw fhirError(404, 'not-found', 'The job was removed.');
  return {
    kind: 'page',
    title: words.kinds[job.kind] ?? job.kind,
    body: html`<div class="card">
      <h1>${words.kinds[job.kind] ?? job.kind}</h1>
      <p role="status">
        ${words.stateIs(words.states[job.state])}
        ${isUnfinished(job) && html`${words.soFar} <span lang="en">${job.progress}</span>`}
      </p>
      ${isUnfinished(job) && html`<p><a href="${pageLink(`exports/${job.id}`)}">${words.again}</a></p>`}
      ${job.failure?.issues.map(({ text }) => html`<p lang="en">${text}</p>`)} ${filesOf(visit, job, manifest, words)}
      <form method="post" action="${pageLink(`exports/${job.id}`)}">
        ${tokenField(visit)}
        <div class="go"><button class="quiet">${isUnfinished(job) ? words.cancel : words.remove}</button></div>
      </form>
      <p><a href="${pageLink('exports')}">${words.back}</a></p>
    </div>`,
  };
}

/** Cancels a job, or deletes its files, and leads to the others. */
export async function jobPosted(visit: Visit): Promise<Reply> {
  await visit.ask(pathOf(visit), { method: 'DELETE' });
  return { kind: 'see', path: `/explorer/${visit.place?.partition.id ?? ''}/exports` };
}

/** A file of a job, to keep. */
export const jobFilePage = async (visit: Visit): Promise<Reply> =>
  download(visit, await visit.ask(pathOf(visit)), visit.params['file'] ?? '');

/** The page of a job, or its file, by the URL that a client gets. */
export const jobOfClient = ({ params, place }: Visit): Reply => {
  const [job, file] = [params['job'] ?? '', params['file']].map(part => part && encodeURIComponent(part));
  const path = `/explorer/${place?.partition.id ?? ''}/exports/${job ?? ''}`;
  return { kind: 'see', path: file === undefined ? path : `${path}/${file}` };
};

function filesOf({ language, pageLink }: Visit, job: JobRecord, manifest: JsonObject, words: ExportTexts): Markup {
  if (job.state !== 'done') return undefined;
  const listed = ['output', 'deleted', 'error'].flatMap(name => objectsOf(manifest[name]));
  const counts = new Map(listed.map(({ url, count }) => [asString(url)?.split('/').at(-1), count]));
  const time = asString(manifest['transactionTime']);
  const row = ({ name, bytes }: JobRecord['files'][number]): Html =>
    html`<tr>
      <th scope="row"><a href="${pageLink(`exports/${job.id}/${name}`)}" download>${name}</a></th>
      <td>${Number(counts.get(name) ?? Number.NaN) || ''}</td>
      <td>${sizeText(bytes, { language })}</td>
    </tr>`;
  const until = job.expires === undefined ? undefined : timeText(new Date(job.expires).toISOString(), language);
  return html`${time !== undefined && html`<p>${words.moment(timeText(time, language))}</p>`}
    ${until !== undefined && html`<p>${words.until(until)}</p>`}
    <h2>${words.files}</h2>
    ${
      job.files.length === 0
        ? html`<p>${words.noFiles}</p>`
        : table(words.files, [words.file, words.records, words.size], job.files.map(row), { kind: 'wide-table' })
    }`;
}
