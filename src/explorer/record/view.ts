import { isStoredElsewhere } from '../../auth/referable.ts';
import type { Decimals } from '../../fhir/json.ts';
import { parseReference } from '../../fhir/reference.ts';
import type { Model } from '../../model/model.ts';
import type { CodeSystem } from '../../terminology/code-system.ts';
import type { Language } from '../../pages/language.ts';
import type { LabelOf } from '../definition/label.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Markup } from '../../pages/html.ts';
import type { Findings } from './findings.ts';
import { recordTexts } from './texts.ts';
import type { RecordTexts } from './texts.ts';

/** What the views of a record need besides its JSON. */
export interface RecordView {
  readonly model: Model;
  readonly language: Language;
  readonly texts: RecordTexts;
  /** Base URL of the partition, without a slash at its end: absolute references below it are to its records. */
  readonly base: string;
  /** `Type/id` of the resource that the caller is; undefined without one. */
  readonly self?: string | undefined;
  /** The link to a page below the base: `record('Patient/p1')`. */
  readonly record: (target: string) => string;
  readonly labelOf: LabelOf;
  /** Finds code systems, for the displays of codes without one. */
  readonly system: (url: string) => CodeSystem | undefined;
  /** The digits of numbers, as they were written. */
  readonly decimals: Decimals;
  readonly findings: Findings;
  /** The URL of a picture of the record by its place, such as `photo[0]`; undefined if pictures are not shown. */
  readonly pictureLink?: ((place: string) => string) | undefined;
}

export const textsOf = (language: Language): RecordTexts => recordTexts[language];

/**
 * The link to the record that a reference names; undefined if this server cannot return it, as of users, who see at
 * most their own.
 */
export function linkOf(
  { model, base, self, record }: Pick<RecordView, 'model' | 'base' | 'self' | 'record'>,
  reference: string,
): string | undefined {
  const parsed = parseReference(reference);
  if (parsed?.kind !== 'relative' && parsed?.kind !== 'absolute') return undefined;
  if (parsed.kind === 'absolute' && parsed.base !== base) return undefined;
  const { type, id, version } = parsed;
  const declared = model.types.get(type);
  if (declared?.interactions.has('read') !== true) return undefined;
  if (isStoredElsewhere(declared) && self !== `${type}/${id}`) return undefined;
  const isRead = version !== undefined && declared.interactions.has('vread');
  return record(`${type}/${id}${isRead ? `/_history/${version}` : ''}`);
}

/** A web address that a link may have: http, https, mailto and tel; undefined for all others. */
export function safeLink(text: string): string | undefined {
  if (!/^(?:https?:\/\/[^/]|mailto:|tel:)/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}

/** Prints values of one data type in a line. */
export interface Printer {
  /** The properties that the line has; the others are shown below it. */
  readonly shows: readonly string[];
  /** `place`: the place of the value in the record, such as `photo[0]`. Undefined if there is nothing for the line. */
  readonly print: (value: JsonObject, view: RecordView, place: string) => Markup;
}
