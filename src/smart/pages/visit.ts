import type { IncomingMessage, ServerResponse } from 'node:http';
import { keepLanguage } from '../../pages/language.ts';
import { PageProblem } from '../../pages/problem.ts';
import type { FormProblem } from '../../pages/problem.ts';
import { beginVisit } from '../../pages/site.ts';
import type { FormVisit, PageVisit } from '../../pages/visit.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import type { Conversation } from '../sign-in/conversation.ts';
import type { PagesParts } from './parts.ts';
import type { Texts } from './texts/en.ts';
import { texts } from './texts/index.ts';

/** What the frame of a page, and the page of an error, need of a visit. */
export interface FramedVisit extends PageVisit {
  readonly query: URLSearchParams;
  readonly texts: Texts;
  /** The signed-in user. */
  readonly user: RegisteredUser | undefined;
  /** The secret of the session; undefined if no user is signed in. */
  readonly sessionSecret: string | undefined;
}

/** A request for a page of sign-in, with everything that these pages need. */
export interface Visit extends FramedVisit, FormVisit {
  readonly parts: PagesParts;
  /** The authorization request that the path names; undefined if it names none, or it has expired. */
  readonly conversation: Conversation | undefined;
}

/** The beginning of a visit, before its session is known. `app`: the languages that an app asks for. */
export function beginFramed(
  publicUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  about: Pick<FramedVisit, 'path' | 'params' | 'query'>,
  app: readonly string[] = [],
): FramedVisit {
  const begun = beginVisit(publicUrl, request, response, about);
  const language = keepLanguage(request, begun.cookies, about.query, app);
  const { query } = about;
  return { ...begun, query, language, texts: texts[language], user: undefined, sessionSecret: undefined };
}

/** The kind of problem, by the key of its text. */
export type ProblemName = keyof Texts['problems'] | FormProblem;

/** An error that ends in a page of sign-in. */
export const problem = (status: number, name: ProblemName, headers?: Readonly<Record<string, string>>) =>
  new PageProblem<ProblemName>(status, name, headers);
