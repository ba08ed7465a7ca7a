import { cancelForm, conversationOf, goOn, hasUser, nextStep, stepPath } from './conversation.ts';
import type { Signed } from './conversation.ts';
import { titleOf } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import { readPatient } from './patients.ts';
import { noSearch, picker, resultsFragment, searchPatients, searchTitle } from './picker.ts';
import type { Search } from './picker.ts';
import { userAccess } from './user-access.ts';
import type { UserAccess } from './user-access.ts';
import { problem } from './visit.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from './visit.ts';

/**
 * The choice of the patient for an app. A user who is a patient gets that patient; a user who may see none gets an
 * explanation.
 */
export async function patientStep(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  if (!hasUser(of) || !choosesPatient(of)) return nextStep(of);
  const who = await accessOf(visit, of);
  if (who.own === undefined) return patientPage(visit, of, noSearch, []);
  return chosen(visit, of, who, who.own);
}

export async function patientStepPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  if (!hasUser(of) || !choosesPatient(of)) return nextStep(of);
  const who = await accessOf(visit, of);
  const { form, texts } = visit;
  if (form.get('do') !== 'choose') {
    const search = await searchPatients(visit, who);
    if (form.has('part')) return { kind: 'fragment', body: resultsFragment(visit, search) };
    return patientPage(visit, of, search, []);
  }
  const id = who.own ?? form.get('patient');
  if (id !== null && id !== '') return chosen(visit, of, who, id);
  const search = form.get('query') === '' || !form.has('query') ? noSearch : await searchPatients(visit, who);
  const field = (search.found?.patients.length ?? 0) > 0 ? 'patient' : 'query';
  return patientPage(visit, of, search, [{ field, text: texts.patient.noChoice }]);
}

/** True if the user chooses the patient, also again: a patient that the EHR names cannot be changed. */
export const choosesPatient = ({ step, launch, patient }: Signed): boolean =>
  step === 'patient' || (step === 'consent' && patient !== undefined && launch?.patient === undefined);

async function accessOf({ parts }: Visit, of: Signed): Promise<UserAccess> {
  const who = await userAccess(parts, { client: of.client.id, user: of.user, partition: of.partition });
  if (who.is === 'other') throw problem(403, 'noPatientAccess');
  return who;
}

async function chosen(visit: Visit, of: Signed, who: UserAccess, id: string): Promise<Reply> {
  const { parts, request, response } = visit;
  const patient = await readPatient(parts, who, visit, id);
  if (patient === undefined) throw problem(403, 'patientGone');
  const url = await parts.conversations.patientChosen(of, patient.id, request, response);
  return goOn(visit, of, url);
}

function patientPage(visit: Visit, of: Signed, search: Search, errors: readonly FieldError[]): Reply {
  const { texts } = visit;
  const words = texts.patient;
  return {
    kind: 'page',
    status: errors.length === 0 ? 200 : 422,
    title: titleOf(visit.language, searchTitle(visit, search, words.title), errors.length > 0),
    scripts: ['picker.js'],
    width: 'middle',
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${words.forApp(of.client.name)}</p>
      ${picker(visit, search, { action: visit.link(stepPath(of, 'patient')), errors })}
      ${cancelForm(visit, of, texts.signIn.cancel)}
    </div>`,
  };
}
