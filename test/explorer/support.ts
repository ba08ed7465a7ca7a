import { parseJson } from '../../src/fhir/json.ts';
import { isObject } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import type { Language } from '../../src/pages/language.ts';
import { createLabels } from '../../src/explorer/definition/label.ts';
import { createFindings } from '../../src/explorer/record/findings.ts';
import type { RecordFinding } from '../../src/explorer/record/findings.ts';
import { textsOf } from '../../src/explorer/record/view.ts';
import type { RecordView } from '../../src/explorer/record/view.ts';
import { terminologyOf } from '../../src/terminology/loaded.ts';
import { loadModel } from '../support/loaded-once.ts';

export const base = 'http://127.0.0.1:8080/r4/demo';

export const record = (target: string): string => `/r4/demo/${target}`;

/** The view of records of an interface: the shipped one, or all of R4. */
export async function openView(
  options: { readonly language?: Language; readonly r4?: boolean; readonly findings?: readonly RecordFinding[] } = {},
): Promise<RecordView> {
  const { language = 'en', r4 = false, findings = [] } = options;
  const loaded = await loadModel({ definitions: [], interface: r4 ? 'r4' : undefined });
  const { model, definitions } = loaded;
  if (model === undefined) throw new Error('The shipped definitions have problems');
  return {
    model,
    language,
    texts: textsOf(language),
    base,
    record,
    labelOf: createLabels(canonical => model.snapshot(canonical), [], language),
    system: url => terminologyOf(definitions).system(url, undefined),
    decimals: new Map(),
    findings: createFindings(findings),
  };
}

/** A resource from its text, with the digits of its numbers. */
export function parsed(text: string, view: RecordView): { readonly resource: JsonObject; readonly view: RecordView } {
  const { value, decimals } = parseJson(text);
  if (!isObject(value)) throw new Error('No object');
  return { resource: value, view: { ...view, decimals } };
}

/** The text that a browser shows of HTML, in one line. */
export const shownText = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
