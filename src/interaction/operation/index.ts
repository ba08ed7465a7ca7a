import type { ServedOperation } from '../../model/served.ts';
import type { Interaction } from '../interaction.ts';
import { validate } from './validate.ts';

/**
 * Every operation that the engine implements, by code (model/served.ts); the definitions select those that it serves.
 */
export const operations: Readonly<Record<ServedOperation, Interaction>> = { validate };

/** Runs the requested operation; dispatch rejects undeclared ones. https://hl7.org/fhir/R4/operations.html */
export const operation: Interaction = async (engine, request, partition) => {
  const run = Object.entries(operations).find(([code]) => code === request.operation)?.[1];
  if (run === undefined) throw new Error(`The operation ${request.operation} is declared but not implemented`);
  return run(engine, request, partition);
};
