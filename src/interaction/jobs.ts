import { FhirError, fhirError } from '../fhir/error.ts';
import { operationOutcome } from '../fhir/outcome.ts';
import type { JobOwner, JobRecord } from '../jobs/job.ts';
import { TooManyJobs } from '../jobs/records.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction, JobAnswers, Jobs } from './interaction.ts';

/** https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.7 */
const uncached = { 'Cache-Control': 'private, no-store' } as const;

/**
 * Starts a job for an operation: 202 with the URL of its status. Throws FhirError 429 if the client has too many, 507
 * without space for files. https://hl7.org/fhir/R4/async.html
 */
export async function startJob(
  { jobs }: Engine,
  request: Pick<FhirRequest, 'access' | 'partition' | 'base'>,
  kind: string,
  task: unknown,
): Promise<FhirResponse> {
  if (jobs === undefined) throw new Error('No jobs are worked on here');
  await jobs.folder.requireSpace();
  try {
    const { id } = await jobs.records.start({ kind, owner: ownerOf(request), task }, jobs.mostOfClient);
    jobs.wake();
    const headers = { 'Content-Location': urlOf(request, id), ...uncached };
    return { status: 202, headers, job: id };
  } catch (error) {
    if (!(error instanceof TooManyJobs)) throw error;
    const whose = error.whose === 'client' ? 'This client has' : 'All clients together have';
    const text = `${whose} ${error.most} jobs that are not complete: wait for one of them, or delete it.`;
    throw fhirError(429, 'throttled', text, undefined, { 'Retry-After': '30' });
  }
}

/** The URL of a job, and that of a file of it. */
export const urlOf = ({ base }: Pick<FhirRequest, 'base'>, id: string, file?: string): string =>
  `${base}/_jobs/${id}${file === undefined ? '' : `/${file}`}`;

/**
 * A poll: 202 with X-Progress and Retry-After until it is complete, then what its kind says; the error of one that
 * failed. https://hl7.org/fhir/uv/bulkdata/STU2/export.html#bulk-data-status-request
 */
export const jobStatus: Interaction = async (engine, request) => {
  const { job, answers } = await findJob(engine, request);
  answers.requireAccess(engine, request, job);
  const expires = job.expires === undefined ? {} : { Expires: new Date(job.expires).toUTCString() };
  if (answers.result !== undefined && (job.state === 'done' || job.failure !== undefined))
    return { status: 303, headers: { Location: urlOf(request, job.id, answers.result), ...expires, ...uncached } };
  if (job.failure !== undefined) throw new FhirError(job.failure.status, job.failure.issues, uncached);
  if (job.state !== 'done') {
    const wait = String(pauseOf(engine.now() - job.started));
    return { status: 202, headers: { 'X-Progress': job.progress, 'Retry-After': wait, ...uncached } };
  }
  const { headers, ...answer } = answers.done(engine, request, job);
  return { ...answer, headers: { ...headers, ...expires, ...uncached } };
};

/** How long a client should wait, in seconds, by the age of the job in milliseconds: a short job is not made slow. */
const pauseOf = (age: number): number => Math.max(1, Math.min(30, Math.floor(age / 10_000)));

/** Cancels a job, or deletes the files of one that is done: neither exists any more then. */
export const jobCancel: Interaction = async (engine, request) => {
  const { job, jobs, answers } = await findJob(engine, request);
  answers.requireAccess(engine, request, job);
  await jobs.records.remove(job.id);
  await jobs.folder.remove(job.id);
  const text = job.state === 'active' ? 'The job is cancelled.' : 'The job and its files are deleted.';
  const outcome = operationOutcome([{ severity: 'information', code: 'informational', text }]);
  return { status: 202, body: JSON.stringify(outcome), headers: uncached };
};

/** A file of a job that is done. */
export const jobFile: Interaction = async (engine, request) => {
  const { job, jobs, answers } = await findJob(engine, request);
  if (job.failure !== undefined && request.file === answers.result) {
    answers.requireAccess(engine, request, job);
    throw new FhirError(job.failure.status, job.failure.issues, uncached);
  }
  const file = job.state === 'done' ? job.files.find(({ name }) => name === request.file) : undefined;
  if (file === undefined) throw fhirError(404, 'not-found', 'The job has no such file.');
  answers.requireAccess(engine, request, job, file);
  const { contentType, patients } = answers.describe(file);
  const answer = { path: jobs.folder.pathOf(job.id, file.name), contentType, tag: `${job.id}-${file.name}` };
  return { status: 200, file: answer, headers: uncached, ...(patients === undefined ? {} : { patients }) };
};

/** The jobs of the caller in a partition, the newest first, without those that its access does not cover. */
export async function jobsOf(
  engine: Engine,
  request: Pick<FhirRequest, 'access' | 'partition' | 'base'>,
): Promise<readonly JobRecord[]> {
  const { jobs } = engine;
  if (jobs === undefined) return [];
  const owner = ownerOf(request);
  const found: JobRecord[] = [];
  for await (const job of jobs.records.list())
    if (isOwnedBy(job.owner, owner) && isCovered(engine, request, job)) found.push(job);
  return found.sort((one, other) => other.started - one.started);
}

function isCovered(engine: Engine, request: Parameters<JobAnswers['requireAccess']>[1], job: JobRecord): boolean {
  try {
    engine.jobs?.answers.get(job.kind)?.requireAccess(engine, request, job);
    return true;
  } catch (error) {
    if (error instanceof FhirError) return false;
    throw error;
  }
}

interface FoundJob {
  readonly job: JobRecord;
  readonly jobs: Jobs;
  readonly answers: JobAnswers;
}

/** Throws FhirError 404 for a job that does not exist, of another client, or of another partition, alike. */
async function findJob({ jobs }: Engine, request: FhirRequest): Promise<FoundJob> {
  const { job: id = '' } = request;
  const job = /^[\w-]{32}$/.test(id) ? await jobs?.records.get(id) : undefined;
  const answers = jobs?.answers.get(job?.kind ?? '');
  if (jobs === undefined || job === undefined || answers === undefined || !isOwnedBy(job.owner, ownerOf(request)))
    throw noJob();
  return { job, jobs, answers };
}

const noJob = (): FhirError =>
  fhirError(404, 'not-found', 'No job has this id: it never existed, was deleted, or its time is over.');

function ownerOf({ access, partition }: Pick<FhirRequest, 'access' | 'partition'>): JobOwner {
  if (access === 'open') return { partition: partition.id };
  return { partition: partition.id, issuer: access.issuer, client: access.client };
}

const isOwnedBy = (one: JobOwner, other: JobOwner): boolean =>
  one.partition === other.partition && one.issuer === other.issuer && one.client === other.client;
