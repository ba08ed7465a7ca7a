import { definitionOf } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { operations } from '../model/implemented.ts';
import { compileModel } from '../model/compile.ts';
import type { TypeDefinitions } from '../model/element.ts';
import type { Model } from '../model/model.ts';
import { checkProfiles } from '../validation/definition/check-profiles.ts';

/**
 * Removes what a start would reject, until it rejects nothing: `statementOf` makes the statement of the types. Throws
 * Error for a problem that belongs to no type.
 */
export function prune(
  declared: readonly JsonObject[],
  statementOf: (types: readonly JsonObject[]) => JsonObject,
  { definitions, types }: { readonly definitions: Definitions; readonly types: TypeDefinitions },
  leaveOut: LeaveOutItem,
): { readonly types: readonly JsonObject[]; readonly model: Model } {
  let left = declared;
  for (;;) {
    const definition = definitionOf(statementOf(left), { file: statementFile, path: '', package: undefined });
    const { model, problems } = compileModel([definition], definitions, types, [], operations);
    const unusable = new Set(checkProfiles(definitions, model).problems.map(({ file }) => file));
    const without = left
      .map((type, index) => {
        const at = `rest[0].resource[${index}]`;
        const own = problems.filter(({ file, path }) => file === statementFile && path.startsWith(`${at}.`));
        const asked = own.map(({ path, text }) => ({ path: path.slice(at.length + 1), text }));
        return withoutProfiles(withoutReported(type, asked, leaveOut), unusable, definitions, leaveOut);
      })
      .filter(type => type !== undefined);
    if (JSON.stringify(without) === JSON.stringify(left)) {
      const [problem] = problems;
      if (problem !== undefined) throw new Error(`${problem.file} ${problem.path}: ${problem.text}`);
      return { types: left, model };
    }
    left = without;
  }
}

/** Receives an omission with the declared element and item, so that the expectation of the guide can be found. */
type LeaveOutItem = (typeName: string, what: string, why: string, element: string, item?: unknown) => void;

/** The statement has no file yet. */
const statementFile = '';

type ReportedProblems = readonly { readonly path: string; readonly text: string }[];

/** A type without the items that have problems; undefined if the type itself is rejected. */
function withoutReported(type: JsonObject, asked: ReportedProblems, leaveOut: LeaveOutItem): JsonObject | undefined {
  const name = String(type['type']);
  let left: JsonObject | undefined = type;
  const refused = new Map<string, Set<number>>();
  for (const { path, text } of asked) {
    const [, element = '', index] = /^(\w+)(?:\[(\d+)\])?/.exec(path) ?? [];
    if (element === 'type') {
      leaveOut(name, 'the type', text, element);
      return undefined;
    }
    // as it was declared
    const item = index === undefined ? type[element] : (type[element] as readonly unknown[])[Number(index)];
    leaveOut(name, labelOf(element, item), text, element, item);
    if (index === undefined) left = Object.fromEntries(Object.entries(left).filter(([key]) => key !== element));
    else refused.set(element, (refused.get(element) ?? new Set()).add(Number(index)));
  }
  for (const [element, indexes] of refused)
    left = { ...left, [element]: (type[element] as readonly unknown[]).filter((_, at) => !indexes.has(at)) };
  return left;
}

const labels: Readonly<Record<string, string>> = {
  searchParam: 'the parameter',
  operation: 'the operation',
  supportedProfile: 'the profile',
  profile: 'the profile',
};

function labelOf(element: string, item: unknown): string {
  const label = labels[element] ?? `\`${element}\``;
  const name = typeof item === 'object' ? asString((item as JsonObject | null)?.['name']) : asString(item);
  return name === undefined ? label : `${label} \`${name}\``;
}

/** Without the profiles of the guide that cannot be applied at all. */
function withoutProfiles(
  type: JsonObject | undefined,
  unusable: ReadonlySet<string>,
  definitions: Definitions,
  leaveOut: LeaveOutItem,
): JsonObject | undefined {
  if (type === undefined) return undefined;
  const supported = stringsOf(type['supportedProfile']);
  const isUsable = (canonical: string): boolean =>
    !unusable.has(definitions.find('StructureDefinition', canonical)?.file ?? '');
  for (const canonical of supported)
    if (!isUsable(canonical))
      leaveOut(
        String(type['type']),
        `the profile \`${canonical}\``,
        'Its base is not loaded.',
        'supportedProfile',
        canonical,
      );
  return { ...type, supportedProfile: supported.filter(isUsable) };
}
