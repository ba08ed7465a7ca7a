// The shape of the source: which folders import which, and how large they are.
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.ts'),
);

/** The folders of `src` in the order of the README: each imports only those before it. */
function foldersInOrder(): readonly string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const list = readme.slice(readme.indexOf('\nsrc/\n'), readme.indexOf('\ntest/'));
  return Array.from(list.matchAll(/^ {2}(\w+)\//gmu), ([, name]) => name!);
}

function importsOf(name: string): readonly string[] {
  const text = readFileSync(join(root, 'src', name), 'utf8');
  return Array.from(text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/gu), ([, path]) =>
    normalize(join(name, '..', path!)),
  );
}

/** Pairs of importer and imported, types included, that go against the order. Each is known with its reason. */
const upwards: ReadonlyMap<string, string> = new Map([
  ['http/app.ts smart/authorization.ts', 'the type of the paths under /auth, which the app mounts'],
  ['model/compile.ts terminology/loaded.ts', 'a model compiles the value sets of its definitions'],
  ['model/model.ts terminology/expansion.ts', 'the type of a compiled value set'],
  ['model/search-parameter.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['model/special.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['model/token-meaning.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['search/page-keys.ts store/port/documents.ts', 'the type of the collection that has the keys'],
]);

describe('the folders of src', () => {
  it('are all in the order of the README', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(entry => entry.isDirectory());
    expect(Array.from(foldersInOrder()).sort()).toEqual(folders.map(folder => folder.name).sort());
  });

  it('import only folders before them, but for at most eight pairs of files', () => {
    const order = foldersInOrder();
    const rank = (name: string) => order.indexOf(name.split('/')[0]!);
    const found = files.flatMap(name =>
      importsOf(name)
        .filter(imported => imported.includes('/') && !imported.startsWith('..') && rank(imported) > rank(name))
        .map(imported => `${name} ${imported}`),
    );
    expect(Array.from(new Set(found)).sort()).toEqual([...upwards.keys()].sort());
    expect(upwards.size).toBeLessThanOrEqual(8);
  });
});

/** All files that the files of a folder import, directly or by others. */
function reachedFrom(folder: string): ReadonlySet<string> {
  const reached = new Set(files.filter(name => name.startsWith(`${folder}/`)));
  for (const name of reached) for (const one of importsOf(name)) if (files.includes(one)) reached.add(one);
  return reached;
}

describe('the conformance tester', () => {
  // It can be published alone: it needs no store, no settings and no server.
  it('reaches only values, definitions, expressions, searches and what these need', () => {
    const reached = Array.from(reachedFrom('conformance'), name => name.split('/')[0]!);
    const values = ['conformance', 'fhir', 'fhirpath', 'model', 'search'];
    const neededByModel = ['definitions', 'indexing', 'terminology'];
    const neededByTerminology = ['fetch', 'limits', 'observability'];
    expect(new Set(reached)).toEqual(new Set([...values, ...neededByModel, ...neededByTerminology]));
  });
});

/**
 * Folders of `src` with the lines that their design needs, and the most that they may have: a tenth more, or what they
 * had when this was written. That number only becomes smaller; lower it when a folder has become smaller.
 */
const budget: readonly (readonly [folders: string, lines: number, most: number])[] = [
  ['store', 14_500, 21_100],
  ['interaction', 10_700, 14_560],
  ['explorer', 5_900, 6_830],
  ['smart', 5_800, 6_660],
  ['validation', 5_200, 5_720],
  ['model', 4_400, 5_370],
  ['cli', 4_300, 5_460],
  ['search', 4_200, 4_680],
  ['conformance', 4_100, 4_510],
  ['fhirpath', 3_000, 3_940],
  ['definitions guide', 2_400, 3_020],
  ['fhir', 2_400, 4_140],
  ['http', 2_400, 3_480],
  ['auth', 2_000, 2_260],
  ['audit', 1_900, 2_090],
  ['bulk', 2_300, 4_980],
  ['engine', 1_700, 2_130],
  ['demo', 1_500, 1_650],
  ['views', 2_600, 2_860],
  ['openapi', 1_500, 1_650],
  ['indexing', 1_500, 1_650],
  ['processes', 1_300, 1_430],
  ['terminology', 4_000, 4_400],
  ['pages', 1_100, 1_210],
  ['config', 900, 1_500],
  ['jobs', 900, 990],
  ['attachment fetch', 600, 660],
  ['observability', 450, 495],
  ['limits', 400, 440],
];
const mostLines = 115_740;
const mostFiles = 1_337;

describe('the size of src', () => {
  const rows = budget.map(([folders, lines, most]) => {
    const own = files.filter(name => folders.split(' ').includes(name.split('/')[0]!));
    return { folders, files: own.length, lines: sum(own.map(linesOf)), budget: lines, most };
  });
  const total = {
    folders: 'all',
    files: files.length,
    lines: sum(files.map(linesOf)),
    budget: 87_000,
    most: mostLines,
  };
  const table = [...rows, total].map(row => Object.values(row).map(String));
  const widths = [18, 6, 8, 8, 8];
  const text = [['folders', 'files', 'lines', 'budget', 'most'], ...table]
    .map(cells => cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!))).join(''))
    .join('\n');

  it('is within the budget of each folder, and of all', () => {
    console.log(text);
    expect(rows.filter(({ lines, most }) => lines > most)).toEqual([]);
    expect(total.lines).toBeLessThanOrEqual(mostLines);
    expect(total.files).toBeLessThanOrEqual(mostFiles);
  });

  it('has each folder in the budget', () => {
    expect(budget.flatMap(([folders]) => folders.split(' ')).sort()).toEqual(Array.from(foldersInOrder()).sort());
  });
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function linesOf(name: string): number {
  return readFileSync(join(root, 'src', name), 'utf8').split('\n').length - 1;
}

/** Types whose rules the standards state by name, so that code names them too. */
const namedByStandards = new Set([
  'OperationOutcome',
  'Bundle',
  'Composition',
  'Parameters',
  'CapabilityStatement',
  'TerminologyCapabilities',
  'StructureDefinition',
  'SearchParameter',
  'OperationDefinition',
  'CompartmentDefinition',
  'ValueSet',
  'CodeSystem',
  'ConceptMap',
  'Questionnaire',
  'Binary',
  'AuditEvent',
  'Provenance',
  'Subscription',
  'Group',
  'Basic',
  'Library', // the form of a query of SQL on FHIR, which views are not
  'ImplementationGuide', // its `global` applies profiles to types
  'TestReport', // a format of the report of the conformance tester
]);

/** Words that are also the name of a type, and how they are written where they mean the other thing. */
const otherMeanings: readonly RegExp[] = [
  /\bList (?=[a-z])/gu, // the verb
  /(?<![\w.])(?:Content-)?Location(?![\w/?.])/gu, // the header of HTTP
  /^'Flag'$/gu, // the heading of a table
];

interface CodePart {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** The literals of a file, and its code between them; comments are omitted. */
function codeParts(text: string): readonly CodePart[] {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gu;
  const parts: CodePart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(token)) {
    parts.push({ text: text.slice(end, index), isLiteral: false });
    if (!found.startsWith('/')) parts.push({ text: found, isLiteral: true });
    end = index + found.length;
  }
  return [...parts, { text: text.slice(end), isLiteral: false }];
}

describe('the resource types that src names, but for the demonstration', () => {
  const names = readFileSync(join(root, 'profiles/r4-core.ndjson'), 'utf8')
    .split('\n')
    .filter(line => line.includes('"kind":"resource"'))
    .map(line => JSON.parse(line) as { type: string; abstract: boolean; kind: string })
    .filter(({ kind, abstract }) => kind === 'resource' && !abstract)
    .map(({ type }) => type)
    .filter(type => !namedByStandards.has(type));
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.[jt]s$/u.test(name) && !name.startsWith('demo'))
    .map(name => ({ name, parts: codeParts(readFileSync(join(root, 'src', name), 'utf8')) }));
  /** Types and classes of the program that have the name of a resource type by chance, such as `Condition`. */
  const own = new Set(
    sources.flatMap(({ parts }) =>
      parts.flatMap(({ text, isLiteral }) =>
        isLiteral ? [] : Array.from(text.matchAll(/\b(?:interface|type|class) (\w+)/gu), ([, name]) => name!),
      ),
    ),
  );
  const typeName = new RegExp(`\\b(?:${names.join('|')})\\b`, 'gu');

  it('are those whose rules the standards state by name', () => {
    expect(names).toContain('Observation');
    const found = sources.flatMap(({ name, parts }) =>
      parts.flatMap(({ text, isLiteral }) => {
        const plain = otherMeanings.reduce((rest, meaning) => rest.replaceAll(meaning, ''), text);
        return Array.from(plain.matchAll(typeName), ([type]) => type)
          .filter(type => isLiteral || !own.has(type))
          .map(type => `${name}: ${type}`);
      }),
    );
    expect(found).toEqual([]);
  });

  it('are found in literals and identifiers', () => {
    const parts = codeParts("const a = 'Observation/1'; // Observation\nimport { Encounter } from 'fhir/r4.js';");
    const found = parts.flatMap(({ text }) => Array.from(text.matchAll(typeName), ([type]) => type));
    expect(found).toEqual(['Observation', 'Encounter']);
  });
});
