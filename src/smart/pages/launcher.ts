import type { RegisteredClient, RegisteredUser } from '../accounts/registered.ts';
import { partitionName } from '../../store/server/documents.ts';
import { errorSummary, tickBox, titleOf, tokenField } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { noSearch, patientLines, pickedPatient, picker, searchTitle, visiblePatient } from './picker.ts';
import type { Search } from './picker.ts';
import { onwardPage } from './site.ts';
import { patientAccess } from './user-access.ts';
import type { UserAccess } from './user-access.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from './visit.ts';

/**
 * Simulates the EHR that starts an app: the user chooses the app, then the patient; then the app's launch URL opens
 * with `iss` and `launch`. https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#launch-app-ehr-launch
 */
export async function launcher(visit: Visit): Promise<Reply> {
  const { user, query } = visit;
  if (user === undefined) return { kind: 'see', path: '/auth/sign-in' };
  const choices = await choicesOf(visit, user);
  const asked = query.get('open');
  const none = [{ field: 'open', text: visit.texts.launcher.noApp }];
  if (asked === null) return appsPage(visit, choices, query.has('next') && choices.length > 0 ? none : []);
  const choice = choices.find(({ key }) => key === asked);
  if (choice === undefined) return appsPage(visit, choices, none);
  return patientPage(visit, choice, await accessOf(visit, user, choice), noSearch, []);
}

export async function launcherPosted(visit: Visit): Promise<Reply> {
  const { user, texts, form, parts, query } = visit;
  if (user === undefined) return { kind: 'see', path: '/auth/sign-in' };
  const choices = await choicesOf(visit, user);
  const choice = choices.find(({ key }) => key === query.get('open'));
  if (choice === undefined) return appsPage(visit, choices, [{ field: 'open', text: texts.launcher.noApp }]);
  const who = await accessOf(visit, user, choice);
  const patient = await pickedPatient(visit, who, (search, errors) => patientPage(visit, choice, who, search, errors));
  if ('kind' in patient) return patient;
  const { client, partition, launchUrl } = choice;
  const launch = await parts.createLaunch({
    client: client.id,
    user: user.id,
    partition,
    patient: patient.id,
    encounter: undefined,
    intent: undefined,
    needPatientBanner: form.has('banner'),
  });
  const url = new URL(launchUrl);
  url.searchParams.set('iss', who.base);
  url.searchParams.set('launch', launch);
  return onwardPage(visit, url.href, client.name);
}

/** An app with one of its launch URLs, in a partition. */
interface Choice {
  readonly key: string;
  readonly client: RegisteredClient;
  readonly partition: string;
  readonly launchUrl: string;
}

async function choicesOf({ parts }: Visit, user: RegisteredUser): Promise<readonly Choice[]> {
  const clients = (await parts.registry.clients()).filter(({ flows }) => flows.includes('app'));
  return clients.flatMap(client =>
    user.partitions
      .filter(({ id }) => client.partitions.includes(id))
      .flatMap(({ id }) =>
        client.launchUrls
          .filter(url => URL.canParse(url))
          .map((launchUrl, at) => ({ key: `${id} ${client.id} ${at}`, client, partition: id, launchUrl })),
      ),
  );
}

const accessOf = ({ parts }: Visit, user: RegisteredUser, { client, partition }: Choice): Promise<UserAccess> =>
  patientAccess(parts, { client: client.id, user, partition });

async function appsPage(visit: Visit, choices: readonly Choice[], errors: readonly FieldError[]): Promise<Reply> {
  const { texts, link, parts } = visit;
  const words = texts.launcher;
  if (choices.length === 0) {
    const body = html`<div class="card">
      <h1>${words.noApps}</h1>
      <p class="lead">${words.noAppsTodo}</p>
    </div>`;
    return { kind: 'page', title: words.noApps, body };
  }
  const partitions = [...new Set(choices.map(({ partition }) => partition))];
  const names = new Map(
    await Promise.all(partitions.map(async id => [id, await partitionName(parts.engine.store, id)] as const)),
  );
  const app = ({ key, client, partition, launchUrl }: Choice, at: number): Html => {
    const id = at === 0 ? 'open' : `open-${at}`;
    return html`<div class="choice">
      <input type="radio" name="open" id="${id}" value="${key}" ${choices.length === 1 && html` checked`} /><label
        for="${id}"
        ><span class="name"><bdi>${client.name}</bdi></span>
        <span class="facts-line"
          >${names.size > 1 && html`<span>${words.partition} <bdi>${names.get(partition)}</bdi></span> `}<span
            >${words.opensAt} <bdi>${launchUrl}</bdi></span
          ></span
        ></label
      >
    </div>`;
  };
  return {
    kind: 'page',
    status: errors.length === 0 ? 200 : 422,
    title: titleOf(visit.language, words.title, errors.length > 0),
    width: 'middle',
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${words.intro}</p>
      ${errorSummary(visit.language, errors)}
      <form method="get" action="${link('/auth/launcher')}">
        <fieldset class="results">
          <legend>${words.app}</legend>
          ${choices.map(app)}
        </fieldset>
        <div class="go"><button name="next" value="1">${words.next}</button></div>
      </form>
    </div>`,
  };
}

async function patientPage(
  visit: Visit,
  { key, client }: Choice,
  who: UserAccess,
  search: Search,
  errors: readonly FieldError[],
): Promise<Reply> {
  const { texts, link } = visit;
  const words = texts.launcher;
  const action = link(`/auth/launcher?${new URLSearchParams({ open: key }).toString()}`);
  const banner = tickBox({ id: 'banner', name: 'banner', value: '1', isTicked: true }, words.banner);
  const own = who.own === undefined ? undefined : await visiblePatient(visit, who, who.own);
  const submit = words.start(client.name);
  const title = own === undefined ? words.patientTitle(client.name) : submit;
  return {
    kind: 'page',
    status: errors.length === 0 ? 200 : 422,
    title: titleOf(visit.language, searchTitle(visit, search, title), errors.length > 0),
    scripts: own === undefined ? ['picker.js'] : [],
    width: 'middle',
    body: html`<div class="card">
      <h1>${title}</h1>
      ${
        own === undefined
          ? picker(visit, search, { action, errors, more: banner, submit })
          : html`<p class="lead">${words.own}</p>
              <p class="chosen">${patientLines(visit, own)}</p>
              <form method="post" action="${action}">
                ${tokenField(visit)}
                <div class="go">${banner}<button name="do" value="choose">${submit}</button></div>
              </form>`
      }
      <p><a href="${link('/auth/launcher')}">${words.otherApp}</a></p>
    </div>`,
  };
}
