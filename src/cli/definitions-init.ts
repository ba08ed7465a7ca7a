import { ConfigError } from '../config/read.ts';
import type { Config } from '../config/read.ts';
import { toggle } from '../config/flag.ts';
import { some } from '../config/values.ts';
import { objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Initialized, LeftOut } from '../guide/init.ts';
import { CommandError, defineCommand, noPositionals } from './command.ts';

export interface OwnFlags {
  readonly from?: string | undefined;
  readonly statement?: string | undefined;
  readonly types?: string | undefined;
  readonly out: string;
}

/** Writes a capability folder: from the statement of a published guide, or with all of R4. */
export const command = defineCommand({
  details: `The types, parameters and profiles that the guide requires of servers, with scopes, if they are
supported; the rest is listed with the reason. --definitions names packages that the guide needs.

  npm run cli -- definitions init --from hl7.fhir.us.core-6.1.0.tgz --types TYPE,TYPE --out ./us-core
  npm run cli -- serve --capability ./us-core --definitions hl7.fhir.us.core-6.1.0.tgz

--all declares every type, interaction and search parameter of R4, as \`--interface r4\` does, for you to edit:

  npm run cli -- definitions init --all ./all-r4`,
  positionals: '[DIR]',
  takes: ['definitions', 'debug'],
  own: [
    { flag: 'from', value: 'PACKAGE', read: some, meaning: 'The FHIR package (.tgz) of the guide' },
    toggle('all', 'All of R4 instead of a guide'),
    { flag: 'types', value: 'A,B', read: some, meaning: 'Only these resource types, separated by commas' },
    { flag: 'statement', value: 'ID', read: some, meaning: 'The CapabilityStatement, if the guide has several' },
    { flag: 'out', value: 'DIR', read: some, default: './guide', meaning: 'The folder; created if needed' },
  ],
  async run({ config, own, positionals }) {
    if (own.all === true) await writeAll(config, own, positionals);
    else await writeGuide(config, own, positionals);
  },
});

async function writeGuide(
  { definitions }: Config,
  { from, out, statement, types }: OwnFlags,
  positionals: readonly string[],
): Promise<void> {
  noPositionals(positionals);
  if (from === undefined)
    throw new ConfigError([
      '`--from` is missing: name the FHIR package (.tgz) of a guide, or declare all of R4 with `--all`.',
    ]);
  const { initDefinitions, nameOf } = await import('../guide/init.ts');
  const { writeNew } = await import('../guide/write.ts');
  const guide = await chooseStatement(from, statement, nameOf);
  const chosen = chosenTypes(guide, types);
  const made = await initDefinitions(guide, chosen, [from, ...definitions]);
  const resources = objectsOf(objectsOf(made.statement['rest'])[0]?.['resource']);
  if (resources.length === 0) throw new CommandError('None of the requirements of the guide is supported.');
  const file = await writeNew(out, `${nameOf(guide)}.json`, made.statement);
  report(made, resources.length);
  const parameters = resources.reduce((sum, { searchParam }) => sum + objectsOf(searchParam).length, 0);
  console.log(`Wrote ${file}: ${resources.length} resource types with ${parameters} search parameters.`);
  const packages = [from, ...definitions].map(path => ` --definitions ${path}`).join('');
  console.log(`Next: definitions check --capability ${out}${packages}`);
}

async function chooseStatement(
  from: string,
  wanted: string | undefined,
  nameOf: (statement: JsonObject) => string,
): Promise<JsonObject> {
  const { readServerStatements } = await import('../guide/statements.ts');
  const found = await readServerStatements(from);
  const names = found.map(nameOf).toSorted();
  const chosen = wanted === undefined ? found : found.filter(one => nameOf(one) === wanted || one['url'] === wanted);
  const [first, second] = chosen;
  if (first !== undefined && second === undefined) return first;
  if (found.length === 0) throw new CommandError(`${from} has no CapabilityStatement for servers.`);
  const offer = names.map(name => `\`${name}\``).join(', ');
  if (first === undefined)
    throw new CommandError(
      `${from} has no CapabilityStatement \`${wanted}\` for servers; it has ` +
        `${offer}.${didYouMean(wanted ?? '', names)}`,
    );
  throw new CommandError(
    `${from} has several CapabilityStatements for servers: ${offer}. Choose one with \`--statement\`.`,
  );
}

/** Throws CommandError for a type that the guide does not name. */
function chosenTypes(guide: JsonObject, wanted: string | undefined): (typeName: string) => boolean {
  if (wanted === undefined) return () => true;
  const known = objectsOf(guide['rest'])
    .filter(({ mode }) => mode === 'server')
    .flatMap(({ resource }) => objectsOf(resource).map(({ type }) => String(type)));
  const names = wanted.split(',').map(name => name.trim());
  const unknown = names.find(name => !known.includes(name));
  if (unknown !== undefined)
    throw new CommandError(
      `The guide does not name \`${unknown}\`.${didYouMean(unknown, known)} It names ${known.join(', ')}.`,
    );
  return name => names.includes(name);
}

/** Prints the omissions, by reason: many types usually have the same. */
function report({ leftOut, added }: Initialized, types: number): void {
  for (const text of added) console.log(text);
  const byWhat = Map.groupBy(leftOut, ({ what, why, expectation }) =>
    JSON.stringify([what, why, expectation === 'SHALL']),
  );
  const groups = Map.groupBy(byWhat.values(), of =>
    JSON.stringify([of[0]?.why, of[0]?.expectation === 'SHALL', of.map(({ type }) => type)]),
  );
  for (const group of groups.values()) {
    const [first = []] = group;
    const whats = group.map(([one]) => one?.what).join(', ');
    const although = first[0]?.expectation === 'SHALL' ? ', although the guide says SHALL' : '';
    console.log(`Omitted from ${typesOf(first, types)}${although}: ${whats}. ${first[0]?.why}`);
  }
}

/** At most six are listed. */
function typesOf(leftOut: readonly LeftOut[], all: number): string {
  if (leftOut.length >= all && all > 1) return 'every type';
  const named = leftOut.slice(0, 6).map(({ type }) => type);
  return `${named.join(', ')}${leftOut.length > 6 ? ` and ${leftOut.length - 6} types more` : ''}`;
}

/** `definitions init --all`: writes the interface `r4`, or some of its types, as a capability folder. */
async function writeAll(
  { definitions }: Config,
  { from, statement, types: wanted, out }: OwnFlags,
  [folder = out, ...more]: readonly string[],
): Promise<void> {
  if (from !== undefined || statement !== undefined)
    throw new ConfigError(['`--all` declares all of R4; `--from` and `--statement` are for a published guide.']);
  noPositionals(more);
  const [{ operations }, { initAll }, { readTemplate }, { writeNew }] = await Promise.all([
    import('../model/implemented.ts'),
    import('../guide/init-all.ts'),
    import('../guide/template.ts'),
    import('../guide/write.ts'),
  ]);
  const template = readTemplate();
  const names = wanted?.split(',').map(name => name.trim());
  const made = await initAll(
    template,
    known => {
      for (const name of names ?? []) requireType(name, known, template.omitted);
      return name => names?.includes(name) ?? true;
    },
    definitions,
    operations,
  );
  const resources = objectsOf(objectsOf(made['rest'])[0]?.['resource']);
  const file = await writeNew(folder, 'r4.json', made);
  if (names === undefined) for (const { type, reason } of template.omitted) console.log(`Omitted: ${type}. ${reason}`);
  const parameters = resources.reduce((sum, { searchParam }) => sum + objectsOf(searchParam).length, 0);
  console.log(`Wrote ${file}: ${resources.length} resource types with ${parameters} search parameters of their own.`);
  console.log(`Next: serve --capability ${folder}${definitions.map(path => ` --definitions ${path}`).join('')}`);
}

function requireType(
  name: string,
  known: ReadonlySet<string>,
  omitted: readonly { readonly type: string; readonly reason: string }[],
): void {
  const reason = omitted.find(({ type }) => type === name)?.reason;
  if (reason !== undefined) throw new CommandError(`\`${name}\` cannot be declared. ${reason}`);
  if (!known.has(name))
    throw new CommandError(`\`${name}\` is not a resource type of FHIR R4.${didYouMean(name, known)}`);
}
