import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { constantOf, functionNames, positionVariables, specifiedType, viewFunctionNames } from './names.ts';
import { childType, choiceByProperty, computedBoolean, isA, narrowed, resultType, rootType } from './result-type.ts';
import type { KnownType, ResultType } from './result-type.ts';
import { ExpressionError } from './syntax.ts';
import type { Expression } from './syntax.ts';

/** A mistake in an expression: a whole sentence, and the position in characters from 0. */
export interface ExpressionProblem {
  readonly at: number;
  readonly message: string;
  /** True if the expression may be right, but is never evaluated. */
  readonly undecided?: true;
  /** True if only an element is named that no possible type of the value has: the expression has no result. */
  readonly lacks?: true;
}

/** The values on which an expression is evaluated, if they are known. */
export interface RuleContext {
  /** The possible types of these values. */
  readonly context?: readonly KnownType[] | undefined;
  /** The possible types of `%resource`. */
  readonly resource?: readonly KnownType[] | undefined;
  /** True if a path may begin with another type, which then has no result: the parts of a search parameter do. */
  readonly otherTypes?: boolean;
  /** For an expression of a view: the names of its variables. A view also has functions of its own. */
  readonly viewVariables?: ReadonlySet<string>;
}

/** The possible types of values; undefined if they are unknown. */
export type Types = readonly ResultType[] | undefined;

/**
 * The possible types of an expression's results, and its mistakes: unknown functions, variables, types and elements.
 * The part after an unknown type (`resolve()`, contained resources) is not checked.
 */
export function inferTypes(
  tree: Expression,
  text: string,
  definitions: TypeDefinitions,
  context: RuleContext,
): { readonly types: Types; readonly problems: readonly ExpressionProblem[] } {
  const inference = new Inference(text, definitions, context);
  const types = inference.infer(tree, inference.context);
  return { types, problems: inference.problems() };
}

class Inference {
  readonly #text: string;
  readonly #definitions: TypeDefinitions;
  readonly context: Types;
  readonly #resource: Types;
  readonly #otherTypes: boolean;
  readonly #viewVariables: ReadonlySet<string> | undefined;
  readonly #wrong: ExpressionProblem[] = [];
  /** The variables that `defineVariable` has named so far. */
  readonly #defined = new Set<string>();
  /** Elements that some possible type has, and those that all types so far lack. */
  readonly #found = new Set<Expression>();
  readonly #missing = new Map<Expression, ExpressionProblem>();

  constructor(text: string, definitions: TypeDefinitions, rule: RuleContext) {
    const { context, resource, otherTypes = false } = rule;
    this.#text = text;
    this.#definitions = definitions;
    this.context = context?.map(asResult);
    this.#resource = resource?.map(asResult);
    this.#otherTypes = otherTypes;
    this.#viewVariables = rule.viewVariables;
  }

  problems(): readonly ExpressionProblem[] {
    if (this.#wrong.length === 0 && this.#missing.size === 0) return [];
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
        return oneOf(this.infer(tree.of, focus), focus);
      case 'sign':
        this.infer(tree.of, focus);
        return undefined;
      case 'type': {
        const of = this.infer(tree.of, focus);
        const named = this.#named(tree.type);
        return tree.operator === 'as' ? this.#narrowed(of, named) : [computedBoolean];
      }
      case 'binary': {
        const [left, right] = [this.infer(tree.left, focus), this.infer(tree.right, focus)];
        if (tree.operator === '|') return both(left, right);
        return arithmetic.has(tree.operator) ? undefined : [computedBoolean];
      }
      case 'call':
        return this.#call(tree, focus);
      default:
        return tree satisfies never;
    }
  }

  #variable({ name, at }: Expression & { kind: 'variable' }): Types {
    if (name === 'context') return this.context;
    if (name === 'resource') return this.#resource;
    const ofView = this.#viewVariables ?? new Set<string>();
    const isKnown = positionVariables.has(name) || this.#defined.has(name) || ofView.has(name);
    if (!isKnown && constantOf(name) === undefined) {
      const known = [...positionVariables, ...this.#defined, ...ofView].map(one => `%${one}`);
      this.#wrong.push({ at, message: `There is no variable \`%${name}\`.${didYouMean(`%${name}`, known)}` });
    }
    return undefined;
  }

  #member(tree: Expression & { kind: 'member' }, focus: Types): Types {
    const { name } = tree;
    if (tree.of === undefined && /^[A-Z]/.test(name)) return this.#typeAtBeginning(tree, focus);
    const of = tree.of === undefined ? focus : this.infer(tree.of, focus);
    if (of === undefined) return undefined;
    let result: ResultType[] | undefined = [];
    for (const type of of) {
      const { definition } = type;
      const elements =
        definition?.kind === 'primitive-type' ? this.#definitions.get('Element')?.elements : definition?.elements;
      // The subtypes of an abstract type have further elements.
      if (elements === undefined || definition?.abstract === true) {
        this.#found.add(tree);
        result = undefined;
        continue;
      }
      const element = elements.get(name) ?? choiceByProperty(definition, name);
      if (element === undefined) continue;
      this.#found.add(tree);
      for (const one of element.types)
        if (element.name === name || one.property === name)
          result?.push(childType(type, element, one, this.#definitions));
    }
    if (!this.#found.has(tree)) this.#lacks(tree, of);
    return result;
  }

  #typeAtBeginning(tree: Expression & { kind: 'member' }, focus: Types): Types {
    const { name, at } = tree;
    const definition = this.#definitions.get(name);
    const self = definition && [rootType(definition)];
    if (focus === undefined || self === undefined) return self ?? this.#lacks(tree, focus ?? []);
    const same = focus.filter(({ code }) => this.#isA(code, name) || this.#isA(name, code));
    if (same.length > 0) return this.#isA(same[0]?.code ?? '', name) ? same : self;
    if (this.#otherTypes) return [];
    const owners = focus.map(({ code }) => `\`${code}\``).join(', ');
    const message = `\`${name}\` is not the type of the evaluated value, which is ${owners}.`;
    this.#wrong.push({ at, message });
    return undefined;
  }

  #isA(code: string, ancestor: string): boolean {
    return isA(code, ancestor, this.#definitions);
  }

  #lacks(tree: Expression & { kind: 'member' }, types: readonly ResultType[]): Types {
    const { name, at } = tree;
    if (types.length === 0) return []; // the part before it is wrong already, or has no result
    const owners = [...new Set(types.map(({ code, definition }) => definition?.name ?? code))].join(', ');
    const known = types.flatMap(({ definition }) => [...(definition?.elements.keys() ?? [])]);
    const hint = didYouMean(name, /^[A-Z]/.test(name) ? this.#definitions.resourceTypes : known);
    this.#missing.set(tree, { at, message: `There is no element \`${name}\` in ${owners}.${hint}`, lacks: true });
    return [];
  }

  /** The FHIR type that a specifier names; undefined for a mistake and for types of FHIRPath itself. */
  #named(tree: Expression | undefined): string | undefined {
    try {
      const { code, system } = specifiedType(tree, this.#text, this.#definitions);
      return system ? undefined : code;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#wrong.push({ at: error.at, message: error.problem });
      return undefined;
    }
  }

  /** A type that no value has is a guess of the author, and checked as such. */
  #narrowed(of: Types, code: string | undefined): Types {
    if (code === undefined) return undefined;
    const kept = of?.flatMap(type => narrowed(type, code, this.#definitions) ?? []);
    return kept === undefined || kept.length === 0 ? [resultType(code, this.#definitions.get(code))] : kept;
  }

  #call(tree: Expression & { kind: 'call' }, focus: Types): Types {
    const { name, args, at } = tree;
    const of = tree.of === undefined ? focus : this.infer(tree.of, focus);
    const known = this.#viewVariables === undefined ? functionNames : namesOfViews;
    if (!known.has(name)) {
      this.#wrong.push({ at, message: `There is no function \`${name}()\`.${didYouMean(name, known)}` });
      return undefined;
    }
    switch (name) {
      case 'is':
        this.#named(args[0]);
        return [computedBoolean];
      case 'as':
      case 'ofType':
        return this.#narrowed(of, this.#named(args[0]));
      case 'extension': {
        for (const argument of args) this.infer(argument, focus);
        const extension = this.#definitions.get('Extension');
        return [{ ...resultType('Extension', extension), many: true }];
      }
      case 'getReferenceKey':
        if (args[0] !== undefined) this.#named(args[0]);
        return [resultType('string', this.#definitions.get('string'))];
      case 'getResourceKey':
        return [resultType('string', this.#definitions.get('string'))];
      case 'repeat':
        return args[0] && this.#repeated(args[0], of);
      case 'defineVariable': {
        const [variable, value] = args;
        if (value !== undefined) this.infer(value, of);
        if (variable?.kind === 'literal') this.#defined.add(String(variable.value));
        return of;
      }
    }
    const given = args.map(argument => this.infer(argument, perValue.has(name) ? of : focus));
    switch (name) {
      case 'select':
        return given[0];
      case 'iif':
        return given[2] === undefined && args.length > 2 ? undefined : both(given[1], given[2] ?? []);
      case 'union':
      case 'combine':
        return both(of, given[0]);
      case 'first':
      case 'last':
      case 'single':
        return oneOf(of, focus);
    }
    if (tests.has(name)) return [computedBoolean];
    return parts.has(name) ? of : undefined;
  }

  /** A repeated expression is also evaluated on its own results. */
  #repeated(tree: Expression, of: Types): Types {
    let result = this.infer(tree, of);
    for (let round = 0; round < 3 && result !== undefined; round++) result = both(result, this.infer(tree, result));
    return result;
  }
}

const namesOfViews: ReadonlySet<string> = new Set([...functionNames, ...viewFunctionNames]);

const asResult = (known: KnownType): ResultType => ({ ...resultType(known.code, known.definition), ...known });

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/', 'div', 'mod', '&']);

/** Functions whose arguments are evaluated for each value, or on the input as a whole. */
const perValue: ReadonlySet<string> = new Set('where exists all select aggregate trace sort iif'.split(' '));

/** Functions that return a part of their input. */
const parts: ReadonlySet<string> = new Set('where tail skip take distinct exclude intersect trace sort'.split(' '));

/** Functions that return a boolean. */
const tests: ReadonlySet<string> = new Set(
  `empty exists all allTrue anyTrue allFalse anyFalse subsetOf supersetOf isDistinct not hasValue hasExtension memberOf
  conformsTo htmlChecks startsWith endsWith contains matches matchesFull`.split(/\s+/),
);

/** One of the values for each value of the focus. */
const oneOf = (types: Types, focus: Types): Types =>
  types?.map(type => ({ ...type, many: focus === undefined || focus.some(({ many }) => many) }));

function both(left: Types, right: Types): Types {
  if (left === undefined || right === undefined) return undefined;
  const all = [...left, ...right];
  const isSame = (one: ResultType, other: ResultType): boolean =>
    one.definition === other.definition && one.code === other.code && one.path === other.path;
  return all.filter((one, index) => all.findIndex(other => isSame(one, other)) === index);
}
