import { partitionName } from '../../store/server/documents.ts';
import { cancelPath, conversationOf, goOn, hasUser, nextStep, stepPath } from './conversation.ts';
import type { Signed } from './conversation.ts';
import { errorSummary, facts, titleOf, tokenField } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { choosesPatient } from './patient-step.ts';
import { readPatient } from './patients.ts';
import { permissionsOf } from './permissions.ts';
import type { ConsentPermission } from './permissions.ts';
import { patientLines } from './picker.ts';
import { userAccess } from './user-access.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from './visit.ts';

/**
 * The consent page: which app requests which permissions, for whom, about which patient and for how long, in plain
 * words.
 */
export async function consentStep(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  if (!hasUser(of) || of.step !== 'consent') return nextStep(of);
  return consentPage(visit, of, []);
}

/**
 * The consent was given: to the required permissions and the ticked ones. The page is shown again if another patient
 * was chosen since, for example in another tab.
 */
export async function consentStepPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  if (!hasUser(of) || of.step !== 'consent') return nextStep(of);
  const { parts, form, texts } = visit;
  if ((form.get('patient') ?? '') !== (of.patient ?? '')) return nextStep(of);
  const ticked = new Set(form.getAll('scope'));
  const { records, others } = permissions(visit, of);
  const data = records.flatMap(({ asked }) => asked);
  const isGiven = ({ optional, scopes }: ConsentPermission): boolean =>
    !optional || scopes.every(scope => ticked.has(scope));
  if (data.length > 0 && !data.some(isGiven))
    return consentPage(visit, of, [{ field: 'scope', text: texts.consent.nothing }]);
  const given = new Set([...data, ...others].filter(isGiven).flatMap(({ scopes }) => scopes));
  const scopes = of.scopes.filter(scope => given.has(scope));
  const url = await parts.conversations.consented(of, scopes, visit);
  return goOn(visit, of, url);
}

const permissions = ({ parts, language }: Visit, { scopes }: Signed) =>
  permissionsOf(scopes, parts.engine.model, language, parts.config);

async function consentPage(visit: Visit, of: Signed, errors: readonly FieldError[]): Promise<Reply> {
  const { texts, link, parts, form } = visit;
  const words = texts.consent;
  const { client } = of;
  const title = words.title(client.name);
  const { records, others } = permissions(visit, of);
  const isLasting = of.scopes.some(scope => scope === 'offline_access' || scope === 'online_access');
  const lasts = isLasting ? words.lastsAtLeast : words.lasts;
  const another = html`<p><a href="${link(stepPath(of, 'sign-in'))}">${words.notYou}</a></p>`;
  const app = html`<strong><bdi>${client.name}</bdi></strong
    >${returnHost(visit, of)}`;
  let boxes = 0;
  const item = (asked: ConsentPermission): Html => {
    const { scopes, text, note, optional } = asked;
    const inner = html`${text}${note !== undefined && html` <span class="note">(<bdi>${note}</bdi>)</span>`}`;
    if (!optional) return html`<li class="fixed"><span>${inner}</span></li>`;
    const id = boxes === 0 ? 'scope' : `scope-${boxes}`;
    boxes += 1;
    const isTicked = errors.length === 0 || form.getAll('scope').includes(scopes[0] ?? '');
    return html`<li>
      <input type="checkbox" id="${id}" name="scope" value="${scopes[0]}" ${isTicked && html` checked`} /><label
        for="${id}"
        >${inner}</label
      >
    </li>`;
  };
  return {
    kind: 'page',
    status: errors.length === 0 ? 200 : 422,
    title: titleOf(visit.language, title, errors.length > 0),
    width: 'middle',
    body: html`<div class="card">
      <h1>${title}</h1>
      <p class="lead">${words.asks(client.name)}</p>
      ${errorSummary(visit.language, errors)}
      ${facts([
        [words.app, app],
        [words.patient, await patientFact(visit, of)],
        [words.records, html`<bdi>${await partitionName(parts.engine.store, of.partition)}</bdi>`],
        [words.you, html`<bdi>${of.user.name}</bdi>${another}`],
        [words.howLong, lasts(texts.time(parts.config.appTokenLifetime / 1000))],
      ])}
      <form method="post" action="${link(stepPath(of, 'consent'))}">
        ${tokenField(visit)}
        ${of.patient !== undefined && html`<input type="hidden" name="patient" value="${of.patient}" />`}
        <h2>${words.may}</h2>
        ${records.map(
          ({ heading, asked }) =>
            html`<fieldset class="asked">
              <legend>${heading}</legend>
              <ul>
                ${asked.map(item)}
              </ul>
            </fieldset>`,
        )}
        ${
          others.length > 0 &&
          html`<fieldset class="asked whole">
            <legend>${words.others}</legend>
            <ul>
              ${others.map(item)}
            </ul>
          </fieldset>`
        }
        ${boxes > 0 && html`<p class="hint">${words.untick}</p>`}
        <div class="go"><button>${words.allow}</button><button class="quiet" form="deny">${words.deny}</button></div>
      </form>
      <form id="deny" method="post" action="${link(cancelPath(of))}" hidden>${tokenField(visit)}</form>
    </div>`,
  };
}

/** The host of the redirect URI, or the scheme that opens an app on a device. */
function returnHost({ texts }: Visit, { redirectUri }: Signed): Html {
  const { protocol, host } = new URL(redirectUri);
  const where = /^https?:$/.test(protocol) ? host : protocol;
  return html`<br /><span class="note">${texts.consent.returnsTo(where)}</span>`;
}

async function patientFact(visit: Visit, of: Signed): Promise<Markup> {
  const { parts, texts, link } = visit;
  if (of.patient === undefined) return undefined;
  const words = texts.consent;
  const who = await userAccess(parts, { client: of.client.id, user: of.user, partition: of.partition });
  const patient = await readPatient(parts, who, visit, of.patient);
  const another = choosesPatient(of) && who.is === 'clinician';
  return html`${patient === undefined ? words.ofLaunch : patientLines(visit, patient)}
  ${another && html`<p><a href="${link(stepPath(of, 'patient'))}">${words.another}</a></p>`}`;
}
