import { fhirError } from '../../fhir/error.ts';
import { readPageForm } from '../../http/body/form.ts';
import { isFormToken, isFromElsewhere } from '../../pages/csrf.ts';
import type { Page, Reply, Visit } from './visit.ts';

/**
 * The reply of a page. A form is accepted only from a page of this server, by its token. Throws FhirError: 405 for
 * another method, 403 for a form from elsewhere, and the errors of the page.
 */
export async function answerPage(visit: Visit, { get, post }: Page): Promise<Reply> {
  const { request, response, parts } = visit;
  const { method } = request;
  if (get !== undefined && (method === 'GET' || method === 'HEAD')) return get(visit);
  if (post === undefined || method !== 'POST') {
    const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ');
    const text = `\`${method}\` is not supported; allowed: ${allowed}.`;
    throw fhirError(405, 'not-supported', text, undefined, { Allow: allowed });
  }
  if (isFromElsewhere(request, parts.publicUrl)) throw formFromElsewhere();
  const form = await readPageForm(request, response, parts.bodyTimeout);
  if (!isFormToken(form.get('token'), visit.token)) throw formFromElsewhere();
  return post({ ...visit, form });
}

const formFromElsewhere = () =>
  fhirError(403, 'forbidden', 'The form is too old, or not one of this page. Open the page again and repeat.');
