import type { JsonObject } from '../../fhir/json-object.ts';
import { isTag } from '../../terminology/languages.ts';
import type { CsvRow } from './csv.ts';
import { WrongConcepts } from '../../terminology/large/write.ts';
import type { LoadedConcept } from '../../terminology/large/write.ts';

/** What the columns of a file say about its system. */
export interface CsvSystem {
  /** `CodeSystem.property` */
  readonly properties: readonly JsonObject[];
  readonly concepts: AsyncIterable<LoadedConcept>;
}

const uri = 'http://hl7.org/fhir/concept-properties#';
const states: ReadonlySet<string> = new Set(['active', 'retired', 'deprecated']);

/**
 * The concepts of a CSV file: the columns `code`, `display`, `definition`, `parent` (several with `|`), `status`,
 * `notSelectable` and `designation:LANGUAGE` in any order, of which only `code` is required; others are properties.
 * Throws WrongConcepts for a wrong header, and with the line for a wrong row.
 */
export async function conceptsOfCsv(rows: AsyncIterable<CsvRow>): Promise<CsvSystem> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new WrongConcepts('The file is empty: its first line has the names of the columns.');
  const names = first.value.cells.map(name => name.replace(/^\uFEFF/, '').trim());
  checkHeader(names);
  const own = names.filter(name => !known.has(name) && !name.startsWith('designation:'));
  const properties = [
    ...own.map(code => ({ code, type: 'string' })),
    ...(names.includes('status') ? [{ code: 'status', uri: `${uri}status`, type: 'code' }] : []),
    ...(names.includes('notSelectable')
      ? [{ code: 'notSelectable', uri: `${uri}notSelectable`, type: 'boolean' }]
      : []),
  ];
  return { properties, concepts: conceptsOf(iterator, names, new Set(own)) };
}

const known: ReadonlySet<string> = new Set(['code', 'display', 'definition', 'parent', 'status', 'notSelectable']);

function checkHeader(names: readonly string[]): void {
  if (!names.includes('code')) throw new WrongConcepts('The first line has no column `code`.');
  const wrong = names.find((name, at) => name === '' || names.indexOf(name) !== at);
  if (wrong !== undefined)
    throw new WrongConcepts(
      wrong === '' ? 'The first line has a column without a name.' : `The column \`${wrong}\` is there twice.`,
    );
  const language = names.find(name => name.startsWith('designation:') && !isTag(name.slice(12)));
  if (language !== undefined) throw new WrongConcepts(`\`${language}\` has no language: write \`designation:fr\`.`);
}

async function* conceptsOf(
  rows: AsyncIterator<CsvRow>,
  names: readonly string[],
  own: ReadonlySet<string>,
): AsyncIterable<LoadedConcept> {
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
    const { cells, line } = next.value;
    const at = `line ${line}`;
    if (cells.length > names.length)
      throw new WrongConcepts(`The ${at} has ${cells.length} cells, and there are ${names.length} columns.`);
    yield conceptOf(new Map(names.map((name, index) => [name, cells[index] ?? ''])), own, at);
  }
}

function conceptOf(cells: ReadonlyMap<string, string>, own: ReadonlySet<string>, at: string): LoadedConcept {
  const cell = (name: string): string | undefined => cells.get(name) || undefined;
  const code = cell('code');
  if (code === undefined || !/^\S+( \S+)*$/.test(code))
    throw new WrongConcepts(`The ${at} has no valid code: it must not be empty, nor begin or end with a space.`);
  const status = cell('status');
  if (status !== undefined && !states.has(status))
    throw new WrongConcepts(`The ${at} has the status \`${status}\`: write \`active\`, \`retired\` or \`deprecated\`.`);
  const notSelectable = cell('notSelectable') === 'true';
  return {
    code,
    display: cell('display'),
    definition: cell('definition'),
    designations: [...cells].flatMap(([name, value]) =>
      name.startsWith('designation:') && value !== '' ? [{ language: name.slice(12), value }] : [],
    ),
    properties: [
      ...[...own].flatMap(name => (cell(name) === undefined ? [] : [{ code: name, valueString: cells.get(name) }])),
      ...(status === undefined ? [] : [{ code: 'status', valueCode: status }]),
      ...(notSelectable ? [{ code: 'notSelectable', valueBoolean: true }] : []),
    ],
    parents: [
      ...new Set(
        (cell('parent') ?? '')
          .split('|')
          .map(one => one.trim())
          .filter(Boolean),
      ),
    ],
    abstract: notSelectable,
    inactive: status === 'retired' || status === 'deprecated',
    at,
  };
}
