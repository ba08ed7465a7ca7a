import type { CsvSystem } from './from-csv.ts';
import { records } from './from-rf2.ts';
import type { ReleaseFolder } from './from-rf2.ts';
import { WrongConcepts } from '../../terminology/large/write.ts';
import type { LoadedConcept } from '../../terminology/large/write.ts';

const uri = 'http://hl7.org/fhir/concept-properties#';

/** Columns that are names, beside `LONG_COMMON_NAME`, which is the display. */
const names = ['SHORTNAME', 'DisplayName', 'CONSUMER_NAME'];

/** Columns that are neither properties nor worth a word of a search. */
const omitted: ReadonlySet<string> = new Set([
  'LOINC_NUM',
  'LONG_COMMON_NAME',
  'DefinitionDescription',
  'RELATEDNAMES2',
  'CHNG_TYPE',
  'CHANGE_REASON_PUBLIC',
  'EXTERNAL_COPYRIGHT_NOTICE',
  'VersionLastChanged',
  'VersionFirstReleased',
  'SURVEY_QUEST_TEXT',
  'FORMULA',
  ...names,
]);

/**
 * The concepts of a LOINC release: its table, and the parts above its codes if the release has the file of the
 * component hierarchy. DEPRECATED codes are inactive; names of linguistic variants (`frCA8LinguisticVariant.csv`) are
 * designations. Throws WrongConcepts without the table. https://terminology.hl7.org/LOINC.html
 */
export async function conceptsOfLoinc(folder: ReleaseFolder): Promise<CsvSystem> {
  const find = (pattern: RegExp): readonly string[] => folder.paths.filter(path => pattern.test(path)).sort();
  const [table] = find(/(^|\/)Loinc\.csv$/);
  if (table === undefined) throw new WrongConcepts('The folder has no file `Loinc.csv`.');
  const [hierarchy] = find(/(^|\/)ComponentHierarchyBySystem\.csv$/);
  const parents = new Map<string, Set<string>>();
  const parts = new Map<string, string>();
  if (hierarchy !== undefined)
    for await (const one of records(folder.rows(hierarchy, ','))) {
      const [code = '', parent = ''] = [one.get('CODE'), one.get('IMMEDIATE_PARENT')];
      parts.set(code, one.get('CODE_TEXT') ?? '');
      if (parent !== '') parents.set(code, (parents.get(code) ?? new Set()).add(parent));
    }
  const translations = new Map<string, { language: string; value: string }[]>();
  for (const path of find(/(^|\/)[a-z]{2}[A-Z]{2}\d+LinguisticVariant\.csv$/)) {
    const [, language, region] = /([a-z]{2})([A-Z]{2})\d+LinguisticVariant/.exec(path) ?? [];
    for await (const one of records(folder.rows(path, ','))) {
      const [code = '', value = ''] = [one.get('LOINC_NUM'), one.get('LONG_COMMON_NAME')];
      if (value !== '')
        translations.set(code, [...(translations.get(code) ?? []), { language: `${language}-${region}`, value }]);
    }
  }
  const columns = await columnsOf(folder, table);
  const concepts = async function* (): AsyncIterable<LoadedConcept> {
    for await (const one of records(folder.rows(table, ','))) {
      const code = one.get('LOINC_NUM') ?? '';
      parts.delete(code);
      const own = columns.filter(name => !omitted.has(name) && (one.get(name) ?? '') !== '');
      yield {
        code,
        display: one.get('LONG_COMMON_NAME') || one.get('SHORTNAME'),
        definition: one.get('DefinitionDescription') || undefined,
        designations: [
          ...names.flatMap(name => (one.get(name) ? [{ value: one.get(name) }] : [])),
          ...(translations.get(code) ?? []),
        ],
        properties: own.map(name => ({ code: name, valueString: one.get(name) })),
        parents: [...(parents.get(code) ?? [])],
        abstract: false,
        inactive: one.get('STATUS') === 'DEPRECATED',
        at: `code ${code}`,
      };
    }
    for (const [code, display] of parts)
      yield {
        code,
        display,
        definition: undefined,
        designations: [],
        properties: [],
        abstract: false,
        inactive: false,
        parents: [...(parents.get(code) ?? [])],
        at: `code ${code}`,
      };
  };
  return {
    properties: [
      ...columns.filter(name => !omitted.has(name)).map(code => ({ code, type: 'string' })),
      { code: 'inactive', uri: `${uri}inactive`, type: 'boolean' },
    ],
    concepts: concepts(),
  };
}

async function columnsOf(folder: ReleaseFolder, table: string): Promise<readonly string[]> {
  for await (const { cells } of folder.rows(table, ',')) return cells.map(name => name.replace(/^\uFEFF/, ''));
  throw new WrongConcepts('The file `Loinc.csv` is empty.');
}
