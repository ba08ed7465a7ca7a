import type { Definition } from '../definitions/definition.ts';
import { within } from '../definitions/definition.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Problem } from '../definitions/problem.ts';
import { print } from '../definitions/digests.ts';
import { extensionsOf } from './extensions.ts';

/** A node of a definition, with its place for problems. */
export interface DefinitionNode {
  readonly definition: Definition;
  readonly path: string;
  readonly json: JsonObject;
}

/** The declarations of all CapabilityStatements, by resource type. */
export interface Declared {
  readonly statements: readonly DefinitionNode[];
  /** `rest` of mode server. */
  readonly rests: readonly DefinitionNode[];
  readonly types: ReadonlyMap<string, readonly DefinitionNode[]>;
  /** Statements of kind requirements: they describe other servers, and declare nothing. */
  readonly requirements: readonly DefinitionNode[];
  /** Other statements that declare nothing, since none of their `rest` has the mode server. */
  readonly withoutServer: readonly DefinitionNode[];
}

/** Reports a problem at a path below a node. */
export type ReportAt = (node: DefinitionNode, path: string, text: string) => void;

/** A ReportAt that fills a list; the same problem is reported once. */
export function reportTo(problems: Problem[]): ReportAt {
  const seen = new Set(problems.map(problem => JSON.stringify(problem)));
  return ({ definition, path }, below, text) => {
    const full = [path, below].filter(part => part !== '').join('.');
    const problem = { file: definition.file, path: within(definition, full), text };
    const key = JSON.stringify(problem);
    if (!seen.has(key)) problems.push(problem);
    seen.add(key);
  };
}

/** Collects the declarations of the CapabilityStatements. https://hl7.org/fhir/R4/capabilitystatement.html */
export function readDeclared(definitions: readonly Definition[]): Declared {
  const all = definitions.map(definition => ({ definition, path: '', json: definition.resource() }));
  const isRequirements = ({ json }: DefinitionNode): boolean => json['kind'] === 'requirements';
  const statements = all.filter(node => !isRequirements(node));
  const serverRests = (statement: DefinitionNode): readonly DefinitionNode[] =>
    items([statement], 'rest').filter(({ json }) => json['mode'] === 'server');
  const rests = statements.flatMap(serverRests);
  const types = new Map<string, DefinitionNode[]>();
  for (const resource of items(rests, 'resource')) {
    const name = asString(resource.json['type']);
    if (name === undefined) continue; // the structure check reports it
    types.set(name, [...(types.get(name) ?? []), resource]);
  }
  return {
    statements,
    rests,
    types,
    requirements: all.filter(isRequirements),
    withoutServer: statements.filter(statement => serverRests(statement).length === 0),
  };
}

/** The objects of a list element of several nodes. */
export function items(nodes: readonly DefinitionNode[], name: string): readonly DefinitionNode[] {
  return nodes.flatMap(({ definition, path, json }) =>
    objectsOf(json[name]).map((item, index) => ({ definition, path: joined(path, `${name}[${index}]`), json: item })),
  );
}

/** The texts of a list element of several nodes, each with its node. */
export function texts(
  nodes: readonly DefinitionNode[],
  name: string,
): readonly (DefinitionNode & { readonly text: string })[] {
  return nodes.flatMap(({ definition, path, json }) =>
    stringsOf(json[name]).map((text, index) => ({ definition, path: joined(path, `${name}[${index}]`), json, text })),
  );
}

/** Our extensions of a name on several nodes. */
export function extensions(nodes: readonly DefinitionNode[], name: string): readonly DefinitionNode[] {
  return nodes.flatMap(({ definition, path, json }) =>
    extensionsOf(json, name).map(found => ({ definition, path: joined(path, found.path), json: found.json })),
  );
}

/** The one value of an element in several nodes; a different value is a problem that names both files. */
export function oneValue(nodes: readonly DefinitionNode[], name: string, report: ReportAt): unknown {
  return agreed(
    nodes.filter(({ json }) => json[name] !== undefined).map(node => ({ node, value: node.json[name] })),
    name,
    (node, text) => report(node, name, text),
  );
}

/** The one extension of a name on several nodes; another with different content is a problem that names both files. */
export function oneExtension(
  nodes: readonly DefinitionNode[],
  name: string,
  report: ReportAt,
): DefinitionNode | undefined {
  const found = extensions(nodes, name).map(node => ({ node, value: node.json }));
  agreed(found, name, (node, text) => report(node, '', text));
  return found[0]?.node;
}

function agreed(
  given: readonly { readonly node: DefinitionNode; readonly value: unknown }[],
  name: string,
  report: (node: DefinitionNode, text: string) => void,
): unknown {
  const [first, ...others] = given;
  for (const { node, value } of others)
    if (first !== undefined && print(value) !== print(first.value))
      report(
        node,
        `\`${name}\` is ${shown(value)} here and ${shown(first.value)} in ` +
          `${first.node.definition.file}; they must agree.`,
      );
  return first?.value;
}

const shown = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
