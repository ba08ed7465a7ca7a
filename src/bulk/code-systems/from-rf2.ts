import type { JsonObject } from '../../fhir/json-object.ts';
import type { CsvRow } from './csv.ts';
import type { CsvSystem } from './from-csv.ts';
import { WrongConcepts } from '../../terminology/large/write.ts';
import type { LoadedConcept } from '../../terminology/large/write.ts';

/** The files of a release folder: paths below it, and the rows of a file. */
export interface ReleaseFolder {
  readonly paths: readonly string[];
  rows(path: string, separator: ',' | '\t'): AsyncIterable<CsvRow>;
}

const [isA, fullName, uri] = ['116680003', '900000000000003001', 'http://hl7.org/fhir/concept-properties#'];
/** https://terminology.hl7.org/SNOMEDCT.html */
const fullNameUse = { system: 'http://snomed.info/sct', code: fullName, display: 'Fully specified name' };
const preferred = '900000000000548007';

/** The rows of a file as objects, by the names of its first line. */
export async function* records(rows: AsyncIterable<CsvRow>): AsyncIterable<ReadonlyMap<string, string>> {
  let names: readonly string[] | undefined;
  for await (const { cells } of rows) {
    if (names === undefined) names = cells.map(name => name.replace(/^\uFEFF/, ''));
    else yield new Map(names.map((name, at) => [name, cells[at] ?? '']));
  }
}

interface Description {
  readonly id: string;
  readonly text: string;
  readonly language: string;
  readonly isFullName: boolean;
}

/**
 * The concepts of a SNOMED CT release (RF2, the files of its snapshot): is-a relationships are parents, other ones
 * properties by their type, simple reference sets the property `memberOf`. The display is the preferred synonym of a
 * language reference set, else the first one. Throws WrongConcepts without the files.
 * https://docs.snomed.org/snomed-ct-specifications/snomed-ct-release-file-specification
 */
export async function conceptsOfRf2(folder: ReleaseFolder): Promise<CsvSystem> {
  const named = (pattern: RegExp): readonly string[] => folder.paths.filter(path => pattern.test(path)).sort();
  const files = {
    concepts: named(/(^|\/)x?sct2_Concept_Snapshot[^/]*\.txt$/),
    descriptions: named(/(^|\/)x?sct2_Description_Snapshot[^/]*\.txt$/),
    relationships: named(/(^|\/)x?sct2_Relationship_Snapshot[^/]*\.txt$/),
    members: named(/(^|\/)x?der2_Refset_Simple(?:Refset)?Snapshot[^/]*\.txt$/),
    languages: named(/(^|\/)x?der2_cRefset_Language(?:Refset)?Snapshot[^/]*\.txt$/),
  };
  if (files.concepts.length === 0 || files.descriptions.length === 0)
    throw new WrongConcepts('The folder has no files `sct2_Concept_Snapshot…` and `sct2_Description_Snapshot…`.');
  const active = async function* (paths: readonly string[]): AsyncIterable<ReadonlyMap<string, string>> {
    for (const path of paths)
      for await (const one of records(folder.rows(path, '\t'))) if (one.get('active') === '1') yield one;
  };
  const best = new Set<string>();
  for await (const one of active(files.languages))
    if (one.get('acceptabilityId') === preferred) best.add(one.get('referencedComponentId') ?? '');
  const descriptions = new Map<string, Description[]>();
  for await (const one of active(files.descriptions))
    push(descriptions, one.get('conceptId') ?? '', {
      id: one.get('id') ?? '',
      text: one.get('term') ?? '',
      language: one.get('languageCode') ?? '',
      isFullName: one.get('typeId') === fullName,
    });
  const parents = new Map<string, string[]>();
  const properties = new Map<string, JsonObject[]>();
  const types = new Set<string>();
  for await (const one of active(files.relationships)) {
    const [source = '', target = '', type = ''] = ['sourceId', 'destinationId', 'typeId'].map(name => one.get(name));
    if (type === isA) push(parents, source, target);
    else push(properties, source, { code: type, valueCode: target });
    types.add(type);
  }
  types.delete(isA);
  for await (const one of active(files.members))
    push(properties, one.get('referencedComponentId') ?? '', { code: 'memberOf', valueCode: one.get('refsetId') });
  const concepts = async function* (): AsyncIterable<LoadedConcept> {
    for (const path of files.concepts)
      for await (const one of records(folder.rows(path, '\t'))) {
        const code = one.get('id') ?? '';
        const isActive = one.get('active') === '1';
        const names = descriptions.get(code) ?? [];
        const synonyms = names.filter(({ isFullName }) => !isFullName);
        const display = synonyms.find(({ id }) => best.has(id)) ?? synonyms[0] ?? names[0];
        yield {
          code,
          display: display?.text,
          definition: undefined,
          designations: names
            .filter(name => name !== display)
            .map(({ text, language, isFullName }) => ({
              language,
              ...(isFullName ? { use: fullNameUse } : {}),
              value: text,
            })),
          properties: [...distinct(properties.get(code) ?? []), { code: 'inactive', valueBoolean: !isActive }],
          parents: [...new Set(parents.get(code))],
          abstract: false,
          inactive: !isActive,
          at: `concept ${code}`,
        };
      }
  };
  return {
    properties: [
      ...Array.from(types, code => ({ code, type: 'code' })),
      { code: 'memberOf', type: 'code' },
      { code: 'inactive', uri: `${uri}inactive`, type: 'boolean' },
    ],
    concepts: concepts(),
  };
}

const distinct = (all: readonly JsonObject[]): readonly JsonObject[] => [
  ...new Map(all.map(one => [JSON.stringify(one), one])).values(),
];

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}
