import type { Config } from '../config/read.ts';
import { ConfigError } from '../config/read.ts';
import { objectsOf } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { CommandError, exitCodes } from './command.ts';
import type { ExitCode } from './command.ts';
import { noPositionals } from './positionals.ts';

interface Flags {
  readonly from?: string | undefined;
  readonly statement?: string | undefined;
  readonly types?: string | undefined;
  readonly out: string;
}

/** `definitions init --all`: writes the interface `r4`, or some of its types, as a capability folder. */
export async function initAllCommand(
  { definitions }: Config,
  { from, statement, types: wanted, out }: Flags,
  [folder = out, ...more]: readonly string[],
): Promise<ExitCode> {
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
  return exitCodes.done;
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
