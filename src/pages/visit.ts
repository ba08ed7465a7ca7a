import type { IncomingMessage, ServerResponse } from 'node:http';
import { FhirError } from '../fhir/error.ts';
import type { Cookies } from './cookies.ts';
import { isFormToken, isFromElsewhere } from './csrf.ts';
import type { Language } from './language.ts';
import { PageProblem } from './problem.ts';
import type { FormProblem } from './problem.ts';
import type { Reply } from './reply.ts';

/** A request for a page. Each set of pages adds what its own pages need, such as the user and the texts. */
export interface PageVisit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path as sent, below the public URL: `/r4/demo/Patient`. */
  readonly path: string;
  /** The decoded variable segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly language: Language;
  readonly cookies: Cookies;
  readonly requestId: string;
  /** The link to a path that begins with a slash: `link('/r4/demo/Patient')`. */
  readonly link: (path: string) => string;
}

/** A visit of pages with forms. */
export interface FormVisit extends PageVisit {
  /** The address of the client, for the audit. */
  readonly address: string;
  /** The fields of the posted form; empty for other requests. */
  readonly form: URLSearchParams;
  /** The CSRF token for the field `token` of the page's forms. */
  readonly token: string;
}

/** A page under a path. */
export interface Page<V> {
  /** Is compiled by createPaths: segments that begin with `:` are variable; `*` at the end is any rest. */
  readonly pattern: string;
  readonly get?: (visit: V) => Promise<Reply> | Reply;
  readonly post?: (visit: V) => Promise<Reply> | Reply;
}

/**
 * The reply of a page. A form is accepted only from a page of this server, by its token; `readForm` reads its fields.
 * Throws PageProblem for another method (405), a form from elsewhere (403) or one that cannot be read, and the errors
 * of the page.
 */
export async function replyOf<V extends FormVisit>(
  visit: V,
  { get, post }: Page<V>,
  publicUrl: string,
  readForm: () => Promise<URLSearchParams>,
): Promise<Reply> {
  const { request, token } = visit;
  const { method } = request;
  if (get !== undefined && (method === 'GET' || method === 'HEAD')) return get(visit);
  if (post === undefined || method !== 'POST') {
    const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])];
    throw new PageProblem(405, 'wrongMethod', { Allow: allowed.join(', ') });
  }
  if (isFromElsewhere(request, publicUrl)) throw new PageProblem(403, 'stale');
  const form = await readForm().catch((error: unknown) => {
    throw formProblem(error);
  });
  if (!isFormToken(form.get('token'), token)) throw new PageProblem(403, 'stale');
  return post({ ...visit, form });
}

/** The problem of a form by the status of the FhirError with which it was rejected; other errors unchanged. */
function formProblem(error: unknown): unknown {
  const name = error instanceof FhirError ? formProblems.get(error.status) : undefined;
  return error instanceof FhirError && name !== undefined ? new PageProblem(error.status, name, error.headers) : error;
}

const formProblems: ReadonlyMap<number, FormProblem> = new Map([
  [400, 'notComplete'],
  [408, 'notComplete'],
  [413, 'tooLarge'],
  [415, 'notAForm'],
]);
