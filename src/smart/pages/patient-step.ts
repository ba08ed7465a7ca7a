import { cancelForm, conversationOf, goOn, hasUser, nextStep, stepPath } from './conversation.ts';
import type { Signed } from './conversation.ts';
import { titleOf } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import { noSearch, pickedPatient, picker, searchTitle, visiblePatient } from './picker.ts';
import type { Search } from './picker.ts';
import { patientAccess } from './user-access.ts';
import type { UserAccess } from './user-access.ts';
import type { Reply } from '../../pages/reply.ts';
import type { FoundPatient } from './patients.ts';
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
  return chosen(visit, of, await visiblePatient(visit, who, who.own));
}

export async function patientStepPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  if (!hasUser(of) || !choosesPatient(of)) return nextStep(of);
  const who = await accessOf(visit, of);
  const patient = await pickedPatient(visit, who, (search, errors) => patientPage(visit, of, search, errors));
  return 'kind' in patient ? patient : chosen(visit, of, patient);
}

/** True if the user chooses the patient, also again: a patient that the EHR names cannot be changed. */
export const choosesPatient = ({ step, launch, patient }: Signed): boolean =>
  step === 'patient' || (step === 'consent' && patient !== undefined && launch?.patient === undefined);

const accessOf = ({ parts }: Visit, { client, user, partition }: Signed): Promise<UserAccess> =>
  patientAccess(parts, { client: client.id, user, partition });

async function chosen(visit: Visit, of: Signed, { id }: FoundPatient): Promise<Reply> {
  const { parts } = visit;
  return goOn(visit, of, await parts.conversations.patientChosen(of, id, visit));
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
