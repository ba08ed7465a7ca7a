import { readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile, types as typesOf } from 'fhirpath';
import r4 from 'fhirpath/fhir-context/r4';

type Compiled = (value: object, variables: object) => readonly unknown[];

interface Node {
  readonly data: unknown;
  readonly constructor: { makeResNode(...parts: unknown[]): unknown };
}

const compiled = new Map<string, Compiled>();

/**
 * What fhirpath.js makes of an expression, one `type value` a result, sorted, each once. `path` is the type of `value`:
 * a resource type, or the path of an element of `resource`.
 */
export function judge(expression: string, path: string, value: object, resource: object): readonly string[] {
  const key = `${path} ${expression}`;
  let run = compiled.get(key);
  if (run === undefined) {
    run = compile(path.includes('.') ? { base: path, expression } : expression, r4, {
      resolveInternalTypes: false,
      userInvocationTable: { resolve },
    } as never) as unknown as Compiled; // its types know neither `types` for nodes nor `internalStructures`
    compiled.set(key, run);
  }
  root = resource;
  const results = run(value, { resource });
  const types = typesOf(results);
  return sorted(
    results.flatMap((result, index) => {
      const { data = result } = (result ?? {}) as Partial<Node>; // a node or a plain value
      const type = names[types[index] ?? ''] ?? (types[index] ?? '').replace('FHIR.', '');
      return data === null || data === undefined ? [] : [`${type} ${JSON.stringify(data)}`];
    }),
  );
}

/** R4 types the ids of resources as FHIRPath strings. */
const names: Readonly<Record<string, string>> = { 'System.Boolean': 'boolean', 'System.String': 'id' };

export const sorted = (lines: readonly string[]): readonly string[] => [...new Set(lines)].sort();

let root: { contained?: { id: string; resourceType: string }[] } = {};

/** Written apart from that of the engine: the type that a reference names itself. */
const resolve = {
  internalStructures: true,
  arity: { 0: [] },
  fn(this: unknown, nodes: readonly Node[]) {
    return nodes.flatMap(node => {
      const reference =
        typeof node.data === 'string' ? { reference: node.data } : (node.data as { reference?: string; type?: string });
      const contained = root.contained?.find(({ id }) => reference.reference === `#${id}`)?.resourceType;
      const type =
        contained ??
        /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^/]+)?$/.exec(reference.reference ?? '')?.[1];
      const resourceType = type ?? (reference as { type?: string }).type;
      return resourceType === undefined
        ? []
        : [node.constructor.makeResNode(this, { resourceType }, null, null, null, null)];
    });
  },
};

interface Example {
  readonly file: string;
  readonly resource: { readonly resourceType: string; readonly id?: string };
}

/** The official example resources of R4, without the files of definitions that are larger than a megabyte. */
export function* examples(): Generator<Example> {
  const folder = fileURLToPath(new URL('../../node_modules/hl7.fhir.r4.examples/', import.meta.url));
  for (const file of readdirSync(folder).filter(name => /^[A-Z][A-Za-z]+-.*\.json$/.test(name))) {
    if (statSync(folder + file).size > 1_000_000) continue;
    const resource = JSON.parse(readFileSync(folder + file, 'utf8')) as Example['resource'];
    if (typeof resource.resourceType === 'string') yield { file, resource };
  }
}
