import type { TypeDefinitions } from '../../model/element.ts';
import { parseExpression } from '../parse.ts';
import { isA } from '../result-type.ts';
import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import { answer, distinct, typeOf, typeTest } from './compiling.ts';
import type { Compiling } from './compiling.ts';
import type { Evaluate } from './environment.ts';
import { Undecided } from './environment.ts';
import { functions } from './functions.ts';
import { keyOf } from './item.ts';
import type { Item } from './item.ts';
import { nodesAt } from './node.ts';
import { payFor, payForText } from './price.ts';
import { arithmetic, condition, equal, equivalent, order, single } from './operators.ts';

/**
 * Compiles FHIRPath as profiles use it to a function from values to values; what it costs is counted in the environment's
 * budget. Throws ExpressionError for what is no FHIRPath or is not known here. https://hl7.org/fhirpath/N1/
 */
export function compileExpression(text: string, types: TypeDefinitions): Evaluate {
  return compile(parseExpression(text), { text, types, compile });
}

function compile(tree: Expression, compiling: Compiling): Evaluate {
  switch (tree.kind) {
    case 'literal': {
      const value = [tree.value];
      return () => value;
    }
    case 'other':
      return compileOther(tree);
    case 'this':
      return (_input, environment) => (environment.this === undefined ? [] : [environment.this]);
    case 'variable':
      return compileVariable(tree, compiling);
    case 'member':
      return compileMember(tree, compiling);
    case 'index': {
      const [of, index] = [compile(tree.of, compiling), compile(tree.index, compiling)];
      return (input, environment) => {
        const place = single(index(input, environment));
        return typeof place === 'number' ? of(input, environment).slice(place, place + 1) : [];
      };
    }
    case 'sign': {
      const of = compile(tree.of, compiling);
      const negative = compiling.text.charAt(tree.at) === '-';
      return (input, environment) => (negative ? arithmetic('-', [0], of(input, environment)) : of(input, environment));
    }
    case 'type': {
      const of = compile(tree.of, compiling);
      const test = typeTest(tree.type, compiling);
      return tree.operator === 'as'
        ? (input, environment) => of(input, environment).filter(test)
        : (input, environment) => {
            const item = single(of(input, environment));
            return item === undefined ? [] : [test(item)];
          };
    }
    case 'binary':
      return compileBinary(tree, compiling);
    case 'call': {
      const build = functions[tree.name];
      if (build === undefined)
        throw new ExpressionError(compiling.text, tree.at, `The function \`${tree.name}()\` is not known here`);
      const call = build(tree.args, compiling, tree.at);
      if (tree.of === undefined) return call;
      const of = compile(tree.of, compiling);
      return (input, environment) => call(of(input, environment), environment);
    }
    default:
      return tree satisfies never;
  }
}

function compileOther(tree: Expression & { kind: 'other' }): Evaluate {
  switch (tree.what) {
    case 'empty':
      return () => [];
    case 'date': {
      const value = [{ kind: 'temporal', text: tree.text.replace(/^@/, '') } as const];
      return () => value;
    }
    case 'quantity': {
      const unit = tree.unit ?? '1';
      const value = [{ kind: 'quantity', value: Number(tree.text), unit } as const];
      return () => value;
    }
    case 'index':
      return (_input, environment) => [environment.index];
    case 'total':
      return (_input, environment) => environment.total;
    case 'this':
      return (_input, environment) => (environment.this === undefined ? [] : [environment.this]);
    default:
      return tree.what satisfies never;
  }
}

/** https://hl7.org/fhir/R4/fhirpath.html#variables */
function compileVariable({ name, at }: Expression & { kind: 'variable' }, { text }: Compiling): Evaluate {
  switch (name) {
    case 'resource':
      return (_input, environment) => [environment.resource];
    case 'rootResource':
      return (_input, environment) => [environment.rootResource];
    case 'context':
      return (_input, environment) => [environment.context];
    default: {
      const value = constants[name] ?? prefixed(name);
      if (value === undefined) throw new ExpressionError(text, at, `The variable \`%${name}\` is not known here`);
      return () => [value];
    }
  }
}

const constants: Readonly<Record<string, string>> = {
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
};

/** `%vs-name` and `%ext-name`. */
function prefixed(name: string): string | undefined {
  const base = 'http://hl7.org/fhir/';
  if (name.startsWith('vs-')) return `${base}ValueSet/${name.slice(3)}`;
  return name.startsWith('ext-') ? `${base}StructureDefinition/${name.slice(4)}` : undefined;
}

function compileMember(tree: Expression & { kind: 'member' }, compiling: Compiling): Evaluate {
  const { name } = tree;
  const { types } = compiling;
  const step: Evaluate = (input, environment) => {
    let result: readonly Item[] | undefined;
    let own: Item[] | undefined;
    for (const item of input) {
      const found = memberOf(item, name, types);
      environment.budget.spend(1 + found.length);
      if (found.length === 0) continue;
      if (result === undefined) result = found;
      else (own ??= [...result]).push(...found);
    }
    return own ?? result ?? [];
  };
  if (tree.of === undefined) {
    if (!/^[A-Z]/.test(name) || types.get(name) === undefined) return step;
    return input => input.filter(item => isA(typeOf(item), name, types)); // the name of a type begins a path
  }
  const of = compiling.compile(tree.of, compiling);
  return (input, environment) => step(of(input, environment), environment);
}

function memberOf(item: Item, name: string, types: TypeDefinitions): readonly Item[] {
  if (typeof item !== 'object' || item.kind !== 'node') return [];
  const definition = item.definition?.kind === 'primitive-type' ? types.get('Element') : item.definition;
  const element = definition?.elements.get(name) ?? choice(definition?.properties.get(name)?.element);
  return element === undefined ? [] : nodesAt(item, element, types);
}

/** `valueQuantity` is not FHIRPath, but published rules have it. */
const choice = <Element extends { readonly choice: boolean }>(element: Element | undefined): Element | undefined =>
  element?.choice === true ? element : undefined;

function compileBinary(tree: Expression & { kind: 'binary' }, compiling: Compiling): Evaluate {
  const { operator } = tree;
  const left = compile(tree.left, compiling);
  const right = compile(tree.right, compiling);
  const both =
    (decide: (left: readonly Item[], right: readonly Item[]) => boolean | undefined): Evaluate =>
    (input, environment) => {
      const [one, other] = [left(input, environment), right(input, environment)];
      payFor(one, environment.budget);
      payFor(other, environment.budget);
      return answer(decide(one, other));
    };
  switch (operator) {
    case 'and':
      return logic(left, right, (a, b) => (a === false || b() === false ? false : a === true && b() === true ? true : undefined)); // prettier-ignore
    case 'or':
      return logic(left, right, (a, b) => (a === true || b() === true ? true : a === false && b() === false ? false : undefined)); // prettier-ignore
    case 'xor':
      return logic(left, right, (a, b) => (a === undefined || b() === undefined ? undefined : a !== b()));
    case 'implies':
      return logic(left, right, (a, b) => (a === false ? true : a === true ? b() : b() === true ? true : undefined));
    case '=':
      return both(equal);
    case '!=':
      return both((a, b) => negated(equal(a, b)));
    case '~':
      return both(equivalent);
    case '!~':
      return both((a, b) => !equivalent(a, b));
    case '<':
      return both((a, b) => compared(order(a, b), sign => sign < 0));
    case '<=':
      return both((a, b) => compared(order(a, b), sign => sign <= 0));
    case '>':
      return both((a, b) => compared(order(a, b), sign => sign > 0));
    case '>=':
      return both((a, b) => compared(order(a, b), sign => sign >= 0));
    case 'in':
      return both((a, b) => contained(a, b));
    case 'contains':
      return both((a, b) => contained(b, a));
    case '|':
      return (input, environment) => {
        const all = [...left(input, environment), ...right(input, environment)];
        payFor(all, environment.budget);
        return distinct(all);
      };
    case '&':
      return (input, environment) => {
        const [one, other] = [textOf(left(input, environment)), textOf(right(input, environment))];
        payForText(one.length + other.length, environment.budget);
        return [one + other];
      };
    default:
      return (input, environment) => {
        const result = arithmetic(operator, left(input, environment), right(input, environment));
        if (typeof result[0] === 'string') payForText(result[0].length, environment.budget);
        return result;
      };
  }
}

/** Three-valued logic; the right side is evaluated when it is asked for, and what cannot be decided may not matter. */
function logic(
  left: Evaluate,
  right: Evaluate,
  decide: (left: boolean | undefined, right: () => boolean | undefined) => boolean | undefined,
): Evaluate {
  return (input, environment) => {
    let known: { readonly value: boolean | undefined } | undefined;
    const second = (): boolean | undefined => (known ??= { value: condition(right(input, environment)) }).value;
    const { this: outer, index, total } = environment;
    let first: boolean | undefined;
    try {
      first = condition(left(input, environment));
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      Object.assign(environment, { this: outer, index, total });
      const [no, yes] = [decide(false, second), decide(true, second)];
      if (no !== yes) throw error;
      return answer(no);
    }
    return answer(decide(first, second));
  };
}

const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

const compared = (sign: number | undefined, test: (sign: number) => boolean): boolean | undefined =>
  sign === undefined ? undefined : test(sign);

/** https://hl7.org/fhirpath/N1/#in-membership */
function contained(item: readonly Item[], all: readonly Item[]): boolean | undefined {
  const one = single(item);
  if (one === undefined) return undefined;
  const key = keyOf(one);
  return all.some(other => keyOf(other) === key);
}

function textOf(items: readonly Item[]): string {
  const item = single(items);
  if (item === undefined) return '';
  return keyOf(item).slice(1); // the kind stands first
}
