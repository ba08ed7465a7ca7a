import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinition, TypeDefinitions } from '../model/element.ts';
import { functions } from './functions.ts';
import { isSystemType, namedType } from './named-type.ts';
import { isA } from './result-type.ts';
import { ExpressionError } from './syntax.ts';
import type { Expression } from './syntax.ts';
import { constantOf, places } from './variables.ts';

/** A mistake in an expression: a whole sentence, and the position in characters from 0. */
export interface Problem {
  readonly at: number;
  readonly message: string;
  /** True if the expression may be right, but is never evaluated. */
  readonly undecided?: true;
}

/** A possible type of a part of an expression; `definition` has its elements. */
export interface KnownType {
  readonly code: string;
  readonly definition: TypeDefinition | undefined;
}

/** The values on which a rule is evaluated, if they are known. */
export interface RuleContext {
  /** The possible types of these values. */
  readonly context?: readonly KnownType[] | undefined;
  /** The possible types of `%resource`. */
  readonly resource?: readonly KnownType[] | undefined;
}

/**
 * The mistakes in an expression on values of some types: unknown functions, variables, types and elements. The part
 * after an unknown type (`resolve()`, contained resources) is not checked.
 */
export function problemsOf(
  tree: Expression,
  text: string,
  types: TypeDefinitions,
  { context, resource }: RuleContext,
): readonly Problem[] {
  const check = new Check(text, types, context, resource);
  check.infer(tree, context);
  return check.problems();
}

/** The possible types of a part; undefined if they are unknown. */
type Types = readonly KnownType[] | undefined;

class Check {
  readonly #text: string;
  readonly #types: TypeDefinitions;
  readonly #context: Types;
  readonly #resource: Types;
  readonly #wrong: Problem[] = [];
  /** The variables that `defineVariable` has named so far. */
  readonly #defined = new Set<string>();
  /** Elements that some possible type has, and those that all types so far lack. */
  readonly #found = new Set<Expression>();
  readonly #missing = new Map<Expression, Problem>();

  constructor(text: string, types: TypeDefinitions, context: Types, resource: Types) {
    this.#text = text;
    this.#types = types;
    this.#context = context;
    this.#resource = resource;
  }

  problems(): readonly Problem[] {
    const missing = [...this.#missing].filter(([tree]) => !this.#found.has(tree)).map(([, problem]) => problem);
    const all = [...this.#wrong, ...missing].sort((a, b) => a.at - b.at);
    return all.filter(({ at }, index) => all.findIndex(other => other.at === at) === index);
  }

  infer(tree: Expression, focus: Types): Types {
    switch (tree.kind) {
      case 'literal':
      case 'other':
        return undefined;
      case 'this':
        return focus;
      case 'variable':
        return this.#variable(tree);
      case 'member':
        return this.#member(tree, focus);
      case 'index':
        this.infer(tree.index, focus);
        return this.infer(tree.of, focus);
      case 'sign':
        this.infer(tree.of, focus);
        return undefined;
      case 'type': {
        const of = this.infer(tree.of, focus);
        const named = this.#named(tree.type);
        return tree.operator === 'as' ? narrowed(of, named, this.#types) : undefined;
      }
      case 'binary': {
        const [left, right] = [this.infer(tree.left, focus), this.infer(tree.right, focus)];
        return tree.operator === '|' ? both(left, right) : undefined;
      }
      case 'call':
        return this.#call(tree, focus);
      default:
        return tree satisfies never;
    }
  }

  #variable({ name, at }: Expression & { kind: 'variable' }): Types {
    if (name === 'context') return this.#context;
    if (name === 'resource') return this.#resource;
    if (!places.has(name) && !this.#defined.has(name) && constantOf(name) === undefined) {
      const known = [...places, ...this.#defined].map(one => `%${one}`);
      this.#wrong.push({ at, message: `There is no variable \`%${name}\`.${didYouMean(`%${name}`, known)}` });
    }
    return undefined;
  }

  #member(tree: Expression & { kind: 'member' }, focus: Types): Types {
    const { name, at } = tree;
    if (tree.of === undefined && /^[A-Z]/.test(name)) {
      const definition = this.#types.get(name);
      const self = definition && [{ code: name, definition }];
      if (focus === undefined || self === undefined) return self ?? this.#lacks(tree, focus ?? []);
      const same = focus.filter(({ code }) => isA(code, name, this.#types) || isA(name, code, this.#types));
      if (same.length > 0) return isA(same[0]?.code ?? '', name, this.#types) ? same : self;
      const owners = focus.map(({ code }) => `\`${code}\``).join(', ');
      this.#wrong.push({
        at,
        message: `\`${name}\` is not the type of the evaluated value, which is ${owners}.`,
      });
      return undefined;
    }
    const of = tree.of === undefined ? focus : this.infer(tree.of, focus);
    if (of === undefined) return undefined;
    let result: KnownType[] | undefined = [];
    for (const { definition } of of) {
      const elements =
        definition?.kind === 'primitive-type' ? this.#types.get('Element')?.elements : definition?.elements;
      // The subtypes of an abstract type have further elements.
      if (elements === undefined || definition?.abstract === true) {
        this.#found.add(tree);
        result = undefined;
        continue;
      }
      const element = elements.get(name) ?? choiceOf(definition, name);
      if (element === undefined) continue;
      this.#found.add(tree);
      const next = element.types.map(({ code, content }) => ({ code, definition: content ?? this.#types.get(code) }));
      result?.push(...next);
    }
    if (!this.#found.has(tree)) this.#lacks(tree, of);
    return result;
  }

  #lacks(tree: Expression & { kind: 'member' }, types: readonly KnownType[]): Types {
    const { name, at } = tree;
    if (types.length === 0) return []; // the part before it is wrong already, or has no result
    const owners = [...new Set(types.map(({ code, definition }) => definition?.name ?? code))].join(', ');
    const known = types.flatMap(({ definition }) => [...(definition?.elements.keys() ?? [])]);
    const hint = didYouMean(name, /^[A-Z]/.test(name) ? this.#types.resourceTypes : known);
    this.#missing.set(tree, { at, message: `There is no element \`${name}\` in ${owners}.${hint}` });
    return [];
  }

  #named(tree: Expression | undefined): KnownType | undefined {
    if (tree?.kind === 'member' && (isSystem(tree.of) || systemTypes.has(tree.name))) {
      if (!isSystemType(tree.name) && tree.name !== 'Long')
        this.#wrong.push({ at: tree.at, message: `There is no type \`System.${tree.name}\`.` });
      return undefined;
    }
    try {
      const code = namedType(tree, this.#text, this.#types);
      return { code, definition: this.#types.get(code) };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#wrong.push({ at: error.at, message: error.problem });
      return undefined;
    }
  }

  #call(tree: Expression & { kind: 'call' }, focus: Types): Types {
    const { name, args, at } = tree;
    const of = tree.of === undefined ? focus : this.infer(tree.of, focus);
    if (!functions.has(name)) {
      this.#wrong.push({ at, message: `There is no function \`${name}()\`.${didYouMean(name, functions)}` });
      return undefined;
    }
    if (name === 'is' || name === 'as' || name === 'ofType') {
      const named = this.#named(args[0]);
      return name === 'is' ? undefined : narrowed(of, named, this.#types);
    }
    if (name === 'extension') {
      for (const argument of args) this.infer(argument, focus);
      return [{ code: 'Extension', definition: this.#types.get('Extension') }];
    }
    if (name === 'repeat') return args[0] && this.#repeated(args[0], of);
    if (name === 'defineVariable') {
      const [variable, value] = args;
      if (value !== undefined) this.infer(value, of);
      if (variable?.kind === 'literal') this.#defined.add(String(variable.value));
      return of;
    }
    const scope = name === 'iif' || perValue.has(name) ? of : focus;
    const given = args.map(argument => this.infer(argument, scope));
    if (name === 'select') return given[0];
    if (name === 'iif') return given[2] === undefined && args.length > 2 ? undefined : both(given[1], given[2] ?? []);
    if (name === 'union' || name === 'combine') return both(of, given[0]);
    return same.has(name) ? of : undefined;
  }

  /** A repeated expression is also evaluated on its own results. */
  #repeated(tree: Expression, of: Types): Types {
    let result = this.infer(tree, of);
    for (let round = 0; round < 3 && result !== undefined; round++) result = both(result, this.infer(tree, result));
    return result;
  }
}

const systemTypes: ReadonlySet<string> = new Set([
  'Boolean',
  'String',
  'Integer',
  'Long',
  'Decimal',
  'Date',
  'DateTime',
  'Time',
]);

const isSystem = (tree: Expression | undefined): boolean => tree?.kind === 'member' && tree.name === 'System';

/** Functions whose arguments are evaluated for each value. */
const perValue: ReadonlySet<string> = new Set(['where', 'exists', 'all', 'select', 'aggregate', 'trace', 'sort']);

/** Functions that return their input, or a part of it. */
const same: ReadonlySet<string> = new Set(
  'where first last tail skip take single distinct exclude intersect trace sort'.split(' '),
);

/** `valueQuantity` is not FHIRPath, but published rules have it. */
function choiceOf(definition: TypeDefinition | undefined, name: string): { types: KnownTypes } | undefined {
  const property = definition?.properties.get(name);
  return property?.element.choice === true ? { types: [property.type] } : undefined;
}

type KnownTypes = readonly { readonly code: string; readonly content?: TypeDefinition }[];

function both(left: Types, right: Types): Types {
  if (left === undefined || right === undefined) return undefined;
  const all = [...left, ...right];
  return all.filter(
    ({ definition, code }, index) =>
      all.findIndex(other => other.definition === definition && other.code === code) === index,
  );
}

function narrowed(of: Types, named: KnownType | undefined, types: TypeDefinitions): Types {
  if (named === undefined) return undefined;
  const kept = of?.filter(({ code, definition }) => isA(definition?.name ?? code, named.code, types));
  return kept === undefined || kept.length === 0 ? [named] : kept;
}
