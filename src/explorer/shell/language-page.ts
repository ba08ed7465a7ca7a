import { known } from '../../pages/language.ts';
import { createCookies, yearInSeconds } from '../../pages/cookies.ts';
import { localPath } from './local-path.ts';
import type { Reply, Visit } from './visit.ts';

/** Sets the language of the pages (`to`) and returns to a page (`from`): FHIR parameters cannot carry it. */
export function languagePage({ parts, response, options }: Visit): Reply {
  const language = known(options.get('to'));
  if (language !== undefined) createCookies(parts.publicUrl).set(response, 'language', language, yearInSeconds);
  return { kind: 'see', path: localPath(options.get('from')) ?? '/' };
}
