import { FhirError } from '../../fhir/error.ts';
import { badge, errorSummary, textField, tokenField } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Reply } from '../../pages/reply.ts';
import { timeText } from '../../pages/time-text.ts';
import { findPatients, readPatient } from './patients.ts';
import type { FoundPatient, PatientMatches } from './patients.ts';
import type { UserAccess } from './user-access.ts';
import { problem } from './visit.ts';
import type { Visit } from './visit.ts';

/** A search text and its result. */
export interface Search {
  readonly typed: string;
  readonly found: PatientMatches | undefined;
  /** The message that replaces the patients. */
  readonly trouble: string | undefined;
}

export const noSearch: Search = { typed: '', found: undefined, trouble: undefined };

/** Searches for the text in the field `query` of the form. */
async function searchPatients({ parts, form, texts, language, ...asker }: Visit, who: UserAccess): Promise<Search> {
  const typed = (form.get('query') ?? '').slice(0, 500);
  const { tooShort, tooCostly } = texts.patient;
  try {
    const { requestId, address } = asker;
    const found = await findPatients(parts, who, { requestId, address, language }, typed);
    return { typed, found, trouble: found === undefined ? tooShort : undefined };
  } catch (error) {
    if (error instanceof FhirError && error.status >= 400 && error.status < 500)
      return { typed, found: undefined, trouble: tooCostly };
    throw error;
  }
}

/**
 * The patient whom the posted form of a picker names, or the reply to a form that searches or names none, whose page
 * `show` makes. Throws PageProblem 403 for a patient whom the user may not see.
 */
export async function pickedPatient(
  visit: Visit,
  who: UserAccess,
  show: (search: Search, errors: readonly FieldError[]) => Reply | Promise<Reply>,
): Promise<FoundPatient | Reply> {
  const { form, texts } = visit;
  if (form.get('do') !== 'choose') {
    const search = await searchPatients(visit, who);
    return form.has('part') ? { kind: 'fragment', body: resultsFragment(visit, search) } : show(search, []);
  }
  const id = who.own ?? form.get('patient') ?? '';
  if (id !== '') return visiblePatient(visit, who, id);
  const search = (form.get('query') ?? '') === '' ? noSearch : await searchPatients(visit, who);
  const field = (search.found?.patients.length ?? 0) > 0 ? 'patient' : 'query';
  return show(search, [{ field, text: texts.patient.noChoice }]);
}

/** The patient with an id. Throws PageProblem 403 if the user may not see the record. */
export async function visiblePatient(visit: Visit, who: UserAccess, id: string): Promise<FoundPatient> {
  const patient = await readPatient(visit.parts, who, visit, id);
  if (patient === undefined) throw problem(403, 'patientGone');
  return patient;
}

/**
 * The patient search and its results: two forms, so that it works without script, which only searches while the user
 * types. `action` is the target of both; `more` is shown above the button that continues.
 */
export function picker(
  visit: Visit,
  search: Search,
  options: {
    readonly action: string;
    readonly errors: readonly FieldError[];
    readonly more?: Markup;
    readonly submit?: string;
  },
): Html {
  const { texts } = visit;
  const words = texts.patient;
  const { action, errors, more, submit = words.choose } = options;
  const searched = search !== noSearch;
  return html`${errorSummary(visit.language, errors)}
    <search>
      <form
        class="search"
        method="post"
        action="${action}"
        data-searching="${words.searching}"
        data-failed="${words.failed}"
      >
        ${tokenField(visit)}
        ${textField({
          id: 'query',
          label: words.search,
          hint: words.hint,
          value: search.typed,
          errors: [],
          input: html`type="search" autocomplete="off" autocapitalize="none" spellcheck="false"
          maxlength="200"${!searched && errors.length === 0 && html` autofocus`}`,
        })}
        <button class="quiet" name="do" value="search">${words.submit}</button>
      </form>
    </search>
    <form method="post" action="${action}">
      ${tokenField(visit)}
      <input type="hidden" name="query" value="${search.typed}" />
      <p
        id="status"
        class="status"
        role="status"
        aria-live="polite"
        ${searched && errors.length === 0 && html` tabindex="-1" autofocus`}
      >
        ${statusOf(visit, search)}
      </p>
      <div id="results">${results(visit, search)}</div>
      <div class="go">${more}<button name="do" value="choose">${submit}</button></div>
    </form>`;
}

/** The title of a page with a search: the result, then the page. */
export const searchTitle = (visit: Visit, search: Search, title: string): string =>
  `${statusOf(visit, search)} ${title}`.trimStart();

/** The fragment with which the script replaces the results; its status is announced. */
const resultsFragment = (visit: Visit, search: Search): Html =>
  html`<p id="status">${statusOf(visit, search)}</p>
    <div id="results">${results(visit, search)}</div>`;

function statusOf({ texts }: Visit, { found, trouble }: Search): string {
  const words = texts.patient;
  if (trouble !== undefined) return trouble;
  if (found === undefined) return '';
  if (found.patients.length === 0) return words.none;
  return found.more ? words.more(found.patients.length) : words.found(found.patients.length);
}

function results(visit: Visit, { found }: Search): Markup {
  if (found === undefined || found.patients.length === 0) return undefined;
  return html`<fieldset class="results">
    <legend>${visit.texts.patient.results}</legend>
    ${found.patients.map((patient, at) => {
      const id = at === 0 ? 'patient' : `patient-${at}`;
      return html`<div class="choice">
        <input type="radio" name="patient" id="${id}" value="${patient.id}" /><label for="${id}"
          >${patientLines(visit, patient)}</label
        >
      </div>`;
    })}
  </fieldset>`;
}

/** A patient in two lines: the name, and the details that distinguish patients with the same name. */
export function patientLines({ texts, language }: Pick<Visit, 'texts' | 'language'>, patient: FoundPatient): Html {
  const words = texts.patient;
  const { name, birthDate, gender, identifiers, marks } = patient;
  const printedGender = Object.entries(words.genders).find(([code]) => code === gender)?.[1];
  const facts: readonly Markup[] = [
    birthDate === undefined
      ? words.noBirthDate
      : html`${words.born} <time datetime="${birthDate}">${timeText(birthDate, language)}</time>`,
    ...(printedGender === undefined ? [] : [printedGender]),
    ...identifiers.map(value => html`${words.number} <bdi>${value}</bdi>`),
  ];
  return html`<span class="name"><bdi>${name ?? words.noName}</bdi>${marks.map(mark => badge(mark))}</span>
    <span class="facts-line">${facts.map(fact => html`<span>${fact}</span> `)}</span>`;
}
